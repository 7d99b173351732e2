//! An answer that owns its bytes: it is made exactly of what can be read to the end, and then no
//! getter fails.

use portreeve::game::visit::{Field, Visitor};
use portreeve::game::{
    Family as _, Message, Nested, OwnedResponse, Response, Text, check_with_text,
};

struct NothingFails;

impl<'a> Visitor<'a> for NothingFails {
    type Error = std::convert::Infallible;

    fn text(&mut self, _: Field, value: Text<'a>) -> Result<(), Self::Error> {
        value.to_str().expect("it was checked");
        Ok(())
    }

    fn message<M: Message<'a>>(
        &mut self,
        _: Field,
        value: &Nested<'a, M>,
    ) -> Result<(), Self::Error> {
        let message = value.get().expect("it was checked");
        message.map_or(Ok(()), |message| message.visit(self))
    }
}

fn agrees(owned: Option<OwnedResponse<&[u8]>>, response: Option<Response<'_>>) {
    let checked = response.filter(|response| check_with_text(response).is_ok());
    assert_eq!(owned.is_some(), checked.is_some());
    if let (Some(owned), Some(response)) = (owned, checked) {
        assert_eq!(owned.cmd_id(), response.cmd_id());
        assert_eq!(owned.code(), response.code());
        assert_eq!(owned.kind(), response.kind());
        assert_eq!(owned.payload().map(|payload| payload.kind()), owned.kind());
        let Ok(()) = owned.response().visit(&mut NothingFails);
    }
}

pub(crate) fn run(data: &[u8]) {
    agrees(OwnedResponse::parse(data).ok(), Response::parse(data).ok());
    agrees(
        OwnedResponse::parse_enveloped(data).ok().flatten(),
        Response::parse_enveloped(data).ok().flatten(),
    );
}
