import { Arg, Args, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { type RequestContext, requireScope } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE, MEMBER_SCOPE } from '../../../shared/auth/scopes.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { MemberDirectory } from '../../../shared/contracts/members.js';
import { shownExtra } from '../../../shared/graph/extra.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { MEMBER_PURPOSE, purposeOf } from '../consent/domain.js';
import { type RequestedCode, requestCode, revokeAccess, verifyCode } from './codes.js';
import type { AccessDeps } from './deps.js';
import { AVA_TOKEN_LIFETIME_SECONDS, MEMBER_TOKEN_LIFETIME_MS } from './domain.js';
import {
  AvaAccessRequest,
  AvaAccessRequestArgs,
  AvaAccessToken,
  AvaAccessVerify,
  MemberAuthStart,
  MemberAuthVerify,
  MemberChallenge,
  MemberLogout,
  MemberTokens,
} from './schema.js';
import { checkToken, endSession, type OpenedSession, openSession, refreshSession } from './sessions.js';

interface MemberAccessDeps extends AccessDeps {
  readonly directory: MemberDirectory;
}

const iso = (at: Date): string => isoTime(at.getTime());

@Resolver()
export class MemberAccessResolver {
  readonly #deps: MemberAccessDeps;

  constructor(deps: MemberAccessDeps) {
    this.#deps = deps;
  }

  @Mutation(() => MemberChallenge, { description: 'Sends a code to a member who wants to sign in.' })
  async startMemberAuth(
    @Args(() => MemberAuthStart) { member_id, client_address }: MemberAuthStart,
    @Ctx() context: RequestContext,
  ): Promise<MemberChallenge> {
    const requested = await requestCode(this.#deps, context, {
      kind: 'MEMBER',
      memberId: member_id,
      purpose: MEMBER_PURPOSE,
      requestedBy: null,
      tokenSeconds: MEMBER_TOKEN_LIFETIME_MS / 1_000,
      address: client_address ?? null,
    });
    return { challenge_id: requested.request.request_id, ...this.#delivery(requested) };
  }

  @Mutation(() => MemberTokens, { description: "Opens a member's session with a code." })
  async verifyMemberAuth(
    @Args(() => MemberAuthVerify) { challenge_id, code }: MemberAuthVerify,
    @Ctx() context: RequestContext,
  ): Promise<MemberTokens> {
    const proven = await verifyCode(this.#deps, context, { kind: 'MEMBER', requestId: challenge_id, code });
    return shownTokens(await openSession(this.#deps, context, proven));
  }

  @Mutation(() => MemberTokens, { description: "Renews a member's session; a refresh token is valid once." })
  async refreshMemberAuth(
    @Arg('refresh_token', () => String, { description: 'The newest refresh token of the session.' }) token: string,
    @Ctx() context: RequestContext,
  ): Promise<MemberTokens> {
    return shownTokens(await refreshSession(this.#deps, context, token));
  }

  @Mutation(() => MemberLogout, {
    description: "Ends a member's session: the caller's own, or the session of the given token.",
  })
  async endMemberSession(
    @Ctx() context: RequestContext,
    @Arg('token', () => String, { nullable: true, description: 'Any token of the session.' }) token?: string | null,
  ): Promise<MemberLogout> {
    await endSession(this.#deps, context, token ?? null);
    return { logged_out: true };
  }

  @Mutation(() => AvaAccessRequest, {
    description: 'Requests access to a member’s record; the member receives a code.',
  })
  async requestAvaAccess(
    @Args(() => AvaAccessRequestArgs) args: AvaAccessRequestArgs,
    @Ctx() context: RequestContext,
  ): Promise<AvaAccessRequest> {
    const requested = await requestCode(this.#deps, context, {
      kind: 'AVA',
      memberId: args.member_id,
      purpose: purposeOf(args.purpose),
      requestedBy: args.requested_by,
      tokenSeconds: args.ttl_seconds ?? AVA_TOKEN_LIFETIME_SECONDS,
      address: args.client_address ?? null,
      extra: args.extra ?? undefined,
    });
    const { request_id, status, extra } = requested.request;
    return { request_id, status, ...shownExtra(extra), ...this.#delivery(requested) };
  }

  @Mutation(() => AvaAccessToken, { description: "Opens access to a member's record with their code." })
  async verifyAvaAccess(
    @Args(() => AvaAccessVerify) { request_id, code }: AvaAccessVerify,
    @Ctx() context: RequestContext,
  ): Promise<AvaAccessToken> {
    const proven = await verifyCode(this.#deps, context, { kind: 'AVA', requestId: request_id, code });
    const { session, access_token } = await openSession(this.#deps, context, proven);
    return {
      access_token,
      token_type: 'Bearer',
      expires_at: iso(session.access_until),
      member_id: session.member_id,
      purpose: session.purpose,
      scopes: [MEMBER_SCOPE],
    };
  }

  @Mutation(() => AvaAccessRequest, { nullable: true, description: 'Revokes requested or granted access.' })
  async revokeAvaAccess(
    @Arg('request_id', () => String, { description: 'The request.' }) requestId: string,
    @Ctx() context: RequestContext,
  ): Promise<AvaAccessRequest | null> {
    const found = await revokeAccess(this.#deps, context, requestId);
    if (found === null) return null;
    const { request_id, status, extra } = found;
    return { request_id, status, ...shownExtra(extra), ...this.#delivery({ request: found, code: null }) };
  }

  /** Checks the token of a request; the facade calls it for every request with a member token. */
  @Directive('@inaccessible')
  @Query(() => JsonScalar, { nullable: true, description: 'Returns the access that a token grants (MemberVerdict).' })
  async authenticateMember(
    @Ctx() context: RequestContext,
    @Arg('token', () => String, { description: 'The token as presented.' }) token: string,
  ): Promise<unknown> {
    requireScope(context, INTERNAL_SCOPE);
    return checkToken(this.#deps, token);
  }

  #delivery({ request, code }: RequestedCode) {
    const delivery = this.#deps.config.notifier.kind;
    return { expires_at: iso(request.expires_at), delivery, ...(code === null ? {} : { code }) };
  }
}

function shownTokens({ session, access_token, refresh_token }: OpenedSession): MemberTokens {
  if (refresh_token === null) throw new Error("a member's session has no refresh token");
  return {
    access_token,
    token_type: 'Bearer',
    expires_at: iso(session.access_until),
    refresh_token,
    refresh_expires_at: iso(session.ends_at),
    member_id: session.member_id,
  };
}
