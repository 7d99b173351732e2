// A real OpenID provider on loopback, for tests.
//
// Prints its issuer on the first line. Each line it reads is a command: `rotate` signs with new
// keys and still publishes the old ones, `retire` publishes only the newest. It answers `done`, and
// stops when its input ends.
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

function resourceServer(resource) {
  const format = resource.replace('urn:portreeve:', '');
  if (!FORMATS.includes(format)) throw new errors.InvalidTarget();
  return {
    scope: SCOPES,
    audience: format === 'other' ? 'somebody-else' : 'portreeve',
    accessTokenTTL: 300,
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
        getResourceServerInfo: (_, resource) => resourceServer(resource),
      },
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
  return made.callback();
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
      keys = command === 'rotate' ? [...newKeys(), ...keys] : keys.slice(0, ALGORITHMS.length);
      handle = provider(issuer, keys);
      console.log('done');
    })
    .on('close', () => process.exit(0));
});
