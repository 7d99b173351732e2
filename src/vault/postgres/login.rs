//! The statements about logins at the groupware server.

pub(super) const PUT_REFUSED: &str = "WITH dropped AS (\
         DELETE FROM portreeve.refused_login WHERE refused_at < $3) \
     INSERT INTO portreeve.refused_login (id, refused_at) VALUES ($1, $2) \
     ON CONFLICT (id) DO NOTHING";

pub(super) const REFUSED: &str =
    "SELECT refused_at FROM portreeve.refused_login WHERE refused_at >= $1";

pub(super) const PUT_BEARER_SERVER: &str =
    "INSERT INTO portreeve.bearer_server (url) VALUES ($1) ON CONFLICT (url) DO NOTHING";

pub(super) const IS_BEARER_SERVER: &str = "SELECT 1 FROM portreeve.bearer_server WHERE url = $1";
