// A real OpenID provider on loopback, for tests.
//
// Prints its issuer on the first line. Each line it reads is a command: `rotate` signs with new
// keys and still publishes the old ones, `retire` publishes only the newest, `page <address>` knows the page for people
// there as a public client, whose tokens last four seconds. It answers `done`, and stops when its input ends.
//
// Whoever logs in by a browser chooses a user on a page with two buttons.
//
// The grant type `urn:portreeve:user` stands for a user who logged in and consented, which takes a
// browser otherwise; the tokens are made by the provider's own code:
//   user=<account id>, scope=<scopes>, resource=urn:portreeve:<format> with the formats of FORMATS.

import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { Provider, errors } from 'oidc-provider';

// Standard output is for the issuer and the answers alone.
console.info = console.error;

const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'];
const FORMATS = [...ALGORITHMS, 'opaque', 'other'];
const GRANT = 'urn:portreeve:user';
const SCOPES = 'webhooks apps';

function newKeys() {
  const pairs = {
    RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
    PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
    ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    ES384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
    EdDSA: () => generateKeyPairSync('ed25519'),
  };
  return ALGORITHMS.map((alg) => ({
    ...pairs[alg]().privateKey.export({ format: 'jwk' }),
    alg,
    kid: `${alg}-${randomUUID()}`,
    use: 'sig',
  }));
}

// Where the page for people is.
let page = 'http://127.0.0.1/ui/';

function resourceServer(resource, client) {
  const format = resource.replace('urn:portreeve:', '');
  if (!FORMATS.includes(format)) throw new errors.InvalidTarget();
  return {
    scope: SCOPES,
    audience: format === 'other' ? 'somebody-else' : 'portreeve',
    accessTokenTTL: client?.clientId === 'page' ? 4 : 300,
    accessTokenFormat: format === 'opaque' ? 'opaque' : 'jwt',
    jwt: { sign: { alg: ALGORITHMS.includes(format) ? format : 'RS256' } },
  };
}

function provider(issuer, keys) {
  const made = new Provider(issuer, {
    jwks: { keys },
    clients: [
      {
        client_id: 'front-end',
        client_secret: 'front-end-secret',
        grant_types: [GRANT],
        redirect_uris: [],
        response_types: [],
      },
      {
        client_id: 'page',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: [page],
        response_types: ['code'],
      },
      {
        client_id: 'gateway',
        client_secret: 'gateway secret: +/%&',
        grant_types: [],
        redirect_uris: [],
        response_types: [],
      },
    ],
    scopes: ['openid', ...SCOPES.split(' ')],
    enabledJWA: { idTokenSigningAlgValues: ALGORITHMS },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    features: {
      devInteractions: { enabled: false },
      introspection: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, resource, client) => resourceServer(resource, client),
        defaultResource: (_, client) => (client.clientId === 'page' ? 'urn:portreeve:RS256' : undefined),
        useGrantedResource: () => true,
      },
    },
    clientBasedCORS: (_, origin) => origin === new URL(page).origin,
    issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    async loadExistingGrant({ oidc: { client, session } }) {
      const grant = new made.Grant({ accountId: session.accountId, clientId: client.clientId });
      grant.addOIDCScope(`openid ${SCOPES}`);
      grant.addResourceScope('urn:portreeve:RS256', SCOPES);
      await grant.save();
      return grant;
    },
  });
  made.registerGrantType(
    GRANT,
    async (ctx) => {
      const { client, params } = ctx.oidc;
      const grant = new made.Grant({ accountId: params.user, clientId: client.clientId });
      grant.addResourceScope(params.resource, params.scope);
      const token = new made.AccessToken({
        accountId: params.user,
        client,
        grantId: await grant.save(),
        gty: GRANT,
        scope: params.scope,
      });
      token.resourceServer = new made.ResourceServer(params.resource, resourceServer(params.resource));
      const access_token = await token.save();
      const idToken = new made.IdToken({ sub: params.user }, { ctx });
      idToken.set('at_hash', access_token);
      const id_token = await idToken.issue({ use: 'idtoken' });
      ctx.body = { access_token, id_token, token_type: 'Bearer', expires_in: 300 };
    },
    ['user', 'scope', 'resource'],
  );
  const callback = made.callback();
  return (request, response) => {
    if (!request.url.startsWith('/interaction/')) return callback(request, response);
    if (request.method === 'POST') {
      const refused = request.url.endsWith('refuse');
      const result = refused ? { error: 'access_denied', error_description: '<b>no</b>' } : { login: { accountId: 'alice' }, consent: {} };
      return made.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
    }
    response.setHeader('content-type', 'text/html');
    response.end('<form method="post"><button>Log in as alice</button><button formaction="?refuse">Refuse</button></form>');
  };
}

let keys = newKeys();
let handle;
const server = createServer((request, response) => handle(request, response));
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  handle = provider(issuer, keys);
  console.log(issuer);
  createInterface({ input: process.stdin })
    .on('line', (command) => {
      if (command === 'rotate') keys = [...newKeys(), ...keys];
      else if (command === 'retire') keys = keys.slice(0, ALGORITHMS.length);
      else page = command.replace('page ', '');
      handle = provider(issuer, keys);
      console.log('done');
    })
    .on('close', () => process.exit(0));
});
