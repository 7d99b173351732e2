//! `portreeve token`: static tokens. A running gateway follows each change.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command};
use portreeve::identity::TokensFile;

use super::output::{is_closed, say};
use super::{Failure, sources};
use crate::config::setting::TOKENS_FILE;
use crate::config::{self, ConfigError, with_settings};

pub(super) fn command() -> Command {
    let settings = &[TOKENS_FILE];
    Command::new("token")
        .about("Make, list and revoke static tokens")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(with_settings(
            Command::new("new")
                .about("Make a token and print it, once; the file keeps only its digest")
                .arg(
                    Arg::new("user")
                        .long("user")
                        .value_name("USER")
                        .required(true)
                        .help("The account id at the groupware server"),
                )
                .arg(
                    Arg::new("scope")
                        .long("scope")
                        .value_name("SCOPE")
                        .action(ArgAction::Append)
                        .help("A scope of the token; may be given several times"),
                ),
            settings,
        ))
        .subcommand(with_settings(
            Command::new("list")
                .about("List the tokens, one line each: id, user, since when, scopes"),
            settings,
        ))
        .subcommand(with_settings(
            Command::new("revoke").about("Revoke a token").arg(
                Arg::new("id")
                    .value_name("ID")
                    .required(true)
                    .help("The id that `token list` shows"),
            ),
            settings,
        ))
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let Some((name, matches)) = matches.subcommand() else {
        unreachable!("clap asks for a command");
    };
    let tokens = TokensFile::new(tokens_file(matches)?);
    match name {
        "new" => new(&tokens, matches),
        "list" => list(&tokens),
        "revoke" => revoke(&tokens, matches),
        _ => unreachable!("clap knows no other command"),
    }
}

fn tokens_file(matches: &ArgMatches) -> Result<PathBuf, Failure> {
    let problem = "name the file that holds the digests; it is made where there is none";
    Ok(config::tokens_file(&sources(matches)?)?
        .ok_or_else(|| ConfigError::of(TOKENS_FILE, problem))?)
}

fn new(tokens: &TokensFile, matches: &ArgMatches) -> Result<(), Failure> {
    let user = matches.get_one::<String>("user").expect("clap asks for it");
    let scopes = matches.get_many::<String>("scope").unwrap_or_default();
    let made = tokens
        .new_token(user, scopes.map(String::as_str))
        .map_err(Failure::new)?;
    say(format_args!(
        "made token {} of {user}; it is shown this once:",
        made.record.id()
    ));
    writeln!(io::stdout(), "{}", made.token.expose())?;
    Ok(())
}

fn list(tokens: &TokensFile) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    for record in tokens.list().map_err(Failure::new)? {
        let scopes: Vec<_> = record.scopes().collect();
        let created = humantime::format_rfc3339_seconds(record.created());
        let line = format_args!(
            "{}\t{}\t{created}\t{}",
            record.id(),
            record.user_id(),
            scopes.join(" ")
        );
        if is_closed(writeln!(out, "{line}"))? {
            return Ok(());
        }
    }
    is_closed(out.flush())?;
    Ok(())
}

fn revoke(tokens: &TokensFile, matches: &ArgMatches) -> Result<(), Failure> {
    let id = matches.get_one::<String>("id").expect("clap asks for it");
    let revoked = tokens.revoke(id).map_err(Failure::new)?;
    say(format_args!("revoked token {id} of {}", revoked.user_id()));
    Ok(())
}
