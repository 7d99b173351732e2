//! A [`Response`] as a [`Message`] whose fields can be shown.

use super::extensions::ExtensionSet;
use super::{CMD_ID, RESPONSE_CODE, Response};
use crate::game::runtime::encode;
use crate::game::runtime::extension::{Family, ForPayload, Member};
use crate::game::runtime::macros::message_impls;
use crate::game::runtime::message::Message;
use crate::game::runtime::scalar::Uint64;
use crate::game::runtime::visit::{Field, Visitor};
use crate::game::schema::payload::{Kind, Payload};

impl<'a> Message<'a> for Response<'a> {
    fn visit<V: Visitor<'a>>(&self, visitor: &mut V) -> Result<(), V::Error> {
        if let Some(cmd_id) = self.cmd_id {
            visitor.scalar::<Uint64>(CMD_ID, cmd_id)?;
        }
        if let Some(code) = self.code {
            visitor.enumeration(RESPONSE_CODE, code)?;
        }
        match self.extensions {
            ExtensionSet::None => {}
            ExtensionSet::One(_) | ExtensionSet::Given(_) => {
                if let Some(kind) = self.kind() {
                    self.show_payload(kind, visitor)?;
                }
            }
            ExtensionSet::Several => {
                for &kind in Kind::ALL {
                    self.show_payload(kind, visitor)?;
                }
            }
        }
        let unknown = self.unknown_fields();
        if unknown.is_empty() {
            Ok(())
        } else {
            visitor.unknown(&unknown)
        }
    }

    fn encoded_len(&self) -> usize {
        encode::encoded_len(self)
    }

    fn encode(&self, out: &mut Vec<u8>) {
        encode::append(self, out);
    }
}

message_impls!(Response);

impl<'a> Response<'a> {
    /// Shows the payload of this kind to a visitor, if there is one.
    fn show_payload<V: Visitor<'a>>(&self, kind: Kind, visitor: &mut V) -> Result<(), V::Error> {
        Payload::with(
            kind,
            Show {
                response: self,
                visitor,
            },
        )
    }
}

struct Show<'r, 'a, V> {
    response: &'r Response<'a>,
    visitor: &'r mut V,
}

impl<'a, V: Visitor<'a>> ForPayload<'a, Payload<'a>> for Show<'_, 'a, V> {
    type Output = Result<(), V::Error>;

    #[inline]
    fn run<P: Member<'a, Family = Payload<'a>>>(self) -> Result<(), V::Error> {
        let nested = self.response.nested::<P>();
        if !nested.is_present() {
            return Ok(());
        }
        let field = Field {
            number: P::KIND.number(),
            name: P::KIND.extension(),
            secret: false,
        };
        self.visitor.message(field, &nested)
    }
}
