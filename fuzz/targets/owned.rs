//! An answer that owns its bytes: it is made exactly of what can be read to the end, and then no
//! getter fails.

use portreeve::game::{Family as _, Message, OwnedResponse, Response, check_with_text};

fn agrees(owned: Option<OwnedResponse<&[u8]>>, response: Option<Response<'_>>) {
    let is_sound = |bytes: &[u8]| check_with_text::<Response<'_>>(bytes).is_ok();
    let checked = response.filter(|response| is_sound(&response.to_vec()));
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
    agrees(OwnedResponse::parse(data).ok(), Response::parse(data).ok());
    agrees(
        OwnedResponse::parse_enveloped(data).ok().flatten(),
        Response::parse_enveloped(data).ok().flatten(),
    );
}
