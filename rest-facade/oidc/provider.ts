import type { Configuration } from 'openid-client';
import type { OidcSettings } from '../../shared/config/oidc.js';

/** The claims of the provider about a person. */
export interface Claims {
  readonly subject: string;
  /** Null unless the provider has verified it. */
  readonly email: string | null;
  /** All claims of ID token and user info. */
  readonly all: Readonly<Record<string, unknown>>;
}

/** The secrets of one sign-in under way. */
export interface Handshake {
  readonly state: string;
  readonly nonce: string;
  /** PKCE (RFC 7636). */
  readonly verifier: string;
}

/** The provider did not name a person: it refused, or its answer fails a check. */
export class SignInRefused extends Error {}

const TIMEOUT_SECONDS = 10;

/** The sign-in provider, by OpenID Connect Core 1.0: authorization code with PKCE, state and nonce. */
export class SignInProvider {
  readonly #settings: OidcSettings;
  #discovered: Promise<Configuration> | null = null;

  constructor(settings: OidcSettings) {
    this.#settings = settings;
  }

  /** The address at the provider to which the browser goes. */
  async begin({ state, nonce, verifier }: Handshake): Promise<URL> {
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client');
    return buildAuthorizationUrl(await this.#configuration(), {
      redirect_uri: this.#settings.redirectUrl,
      scope: this.#settings.scopes,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
  }

  /**
   * Exchanges the code of the answer, and checks the ID token.
   *
   * @param query the query with which the provider sent the browser back.
   * @throws SignInRefused
   */
  async finish(query: string, { state, nonce, verifier }: Handshake): Promise<Claims> {
    const { authorizationCodeGrant, fetchUserInfo } = await import('openid-client');
    const configuration = await this.#configuration();
    const current = new URL(this.#settings.redirectUrl);
    current.search = query;
    try {
      const tokens = await authorizationCodeGrant(configuration, current, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new SignInRefused('the answer of the provider has no ID token');
      const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
      const more = hasUserInfo ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : {};
      const all: Readonly<Record<string, unknown>> = { ...more, ...claims };
      const { email, email_verified: isVerified } = all;
      return { subject: claims.sub, email: isVerified === true && typeof email === 'string' ? email : null, all };
    } catch (error) {
      throw error instanceof SignInRefused ? error : new SignInRefused('the provider refused', { cause: error });
    }
  }

  /** Read once; after a failure the next sign-in tries again. */
  #configuration(): Promise<Configuration> {
    this.#discovered ??= this.#discover().catch((error: unknown) => {
      this.#discovered = null;
      throw error;
    });
    return this.#discovered;
  }

  async #discover(): Promise<Configuration> {
    const { allowInsecureRequests, discovery, None } = await import('openid-client');
    const { issuer, clientId, clientSecret } = this.#settings;
    // The configuration allows http on the loopback address alone.
    const execute = issuer.startsWith('http:') ? [allowInsecureRequests] : [];
    const authentication = clientSecret === null ? None() : undefined;
    const options = { execute, timeout: TIMEOUT_SECONDS };
    return discovery(new URL(issuer), clientId, clientSecret ?? undefined, authentication, options);
  }
}
