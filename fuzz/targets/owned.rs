//! An answer that owns its bytes: it is made exactly of what can be read to the end, and then no
//! getter fails.

use portreeve::game::{
    Family as _, Message, Nested, OwnedResponse, Response, ServerMessage, check_with_text,
};

fn agrees(
    owned: Option<OwnedResponse<&[u8]>>,
    response: Option<Response<'_>>,
    is_sound: impl Fn(&Response<'_>) -> bool,
) {
    let checked = response.filter(is_sound);
    assert_eq!(owned.is_some(), checked.is_some());
    if let (Some(owned), Some(response)) = (owned, checked) {
        assert_eq!(owned.cmd_id(), response.cmd_id());
        assert_eq!(owned.code(), response.code());
        assert_eq!(owned.kind(), response.kind());
        assert_eq!(owned.payload().map(|payload| payload.kind()), owned.kind());
        assert_eq!(owned.response().to_vec(), response.to_vec());
    }
}

pub(crate) fn run(data: &[u8]) {
    agrees(OwnedResponse::parse(data).ok(), Response::parse(data).ok(), |response| {
        check_with_text::<Response<'_>>(&response.to_vec()).is_ok()
    });
    agrees(
        OwnedResponse::parse_enveloped(data).ok().flatten(),
        Response::parse_enveloped(data).ok().flatten(),
        |response| {
            let response = response.to_vec();
            let response = Response::parse(&response).unwrap();
            let message =
                ServerMessage { response: Nested::from(&response), ..ServerMessage::default() };
            check_with_text::<ServerMessage<'_>>(&message.to_vec()).is_ok()
        },
    );
}
