import { z } from 'zod';
import type { Principal } from '../auth/context.js';
import { type GrantedScope, type HeldScope, isGrantedScope, isHeldScope } from '../auth/scopes.js';
import type { TenantId } from '../ids/tenant.js';
import { branded, defineCall, json, list, TEXT, TEXT_OR_NULL } from './call.js';

const TenantSummary = z.object({
  tenant_id: branded<TenantId>(),
  /** Opaque id of the tenant's log: part of segment names and of the ledger origin (evidence.md section 2). */
  log_id: z.string(),
  status: z.enum(['ACTIVE', 'SUSPENDED']),
  /** The tenant's own limit, in requests a minute. 0 means no limit; absent or null means the deployment's limit. */
  rate_limit_per_minute: z.int().nullable().exactOptional(),
});
export type TenantSummary = z.infer<typeof TenantSummary>;

/** Tenants, for other subgraphs and the facade. Answers may be 5 s old at most. */
export interface TenantDirectory {
  /** Undefined for an unknown tenant; the reserved `_operator` tenant always exists. */
  find(tenantId: string): Promise<TenantSummary | undefined>;
}

/** The verdict on a key, before its end and the caller's address are checked. */
export interface KeyVerdict {
  readonly principal: Principal;
  /** The key is invalid from this instant on: its expiry, or the end of its grace after a rotation. */
  readonly endsAtMs: number | null;
  /** Blocks of addresses that may use it; empty for any. */
  readonly allowedCidrs: readonly string[];
}

// Scopes of a newer version are dropped: no field of this version needs them.
const granted = list(z.string()).transform((names): readonly GrantedScope[] => names.filter(isGrantedScope));
const held = list(z.string()).transform((names): readonly HeldScope[] => names.filter(isHeldScope));

/** A Principal as it crosses between processes: the scopes are a list. */
const PlainPrincipal = z.object({
  keyId: z.string(),
  keyName: z.string(),
  actorId: z.string().nullable(),
  tenantId: branded<TenantId>().nullable(),
  grantedScopes: granted,
  scopes: held,
  sessionId: z.string().exactOptional(),
  signedInAtMs: z.number().exactOptional(),
});

/** A KeyVerdict as it crosses between processes. */
const PlainKeyVerdict = z.object({
  principal: PlainPrincipal,
  endsAtMs: z.number().nullable(),
  allowedCidrs: list(z.string()),
});
export type PlainKeyVerdict = z.infer<typeof PlainKeyVerdict>;

/** Checks API keys for the facade. Answers may be 5 s old at most. */
export interface KeyAuthority {
  /**
   * Returns the principal of a valid key. Undefined for a key that is unknown, malformed, expired or revoked, for a key of a
   * suspended actor, and for an address that the key does not allow.
   *
   * @param address the caller's; null where it is unknown, which no address list allows.
   */
  authenticate(apiKey: string, address: string | null): Promise<Principal | undefined>;
}

/** A person whom the sign-in provider has named. */
const PersonSignIn = z.object({
  tenant_id: z.string(),
  /** Claim `sub` of the provider. */
  subject: z.string(),
  /** Null unless the provider has verified it. */
  email: z.string().nullable(),
  /** Roles that the claims name; null where the roles of the actor count. */
  role_ids: list(z.string()).nullable(),
  /** Address of the request. */
  address: z.string().nullable(),
});
export type PersonSignIn = z.infer<typeof PersonSignIn>;

/** Opens sessions for persons, for the facade. */
export interface PersonSessions {
  /** @returns the token of the session; null if the person is not exactly one active actor of the tenant. */
  open(person: PersonSignIn): Promise<string | null>;
}

export const openPersonSession = defineCall({
  subgraph: 'admin',
  kind: 'mutation',
  name: 'openPersonSession',
  input: { person: json(PersonSignIn) },
  output: z.string().nullable(),
});

export const findTenant = defineCall({
  subgraph: 'admin',
  kind: 'query',
  name: 'findTenant',
  input: { tenant_id: TEXT },
  output: TenantSummary.nullable(),
});

export const authenticateKey = defineCall({
  subgraph: 'admin',
  kind: 'query',
  name: 'authenticateKey',
  input: { api_key: TEXT, address: TEXT_OR_NULL },
  output: PlainKeyVerdict.nullable(),
});

/** Actors of a tenant, for parts that name one. */
export interface ActorDirectory {
  /** Reads the database. Null for an actor that the tenant does not have. */
  statusOf(tenantId: TenantId, actorId: string): Promise<'ACTIVE' | 'SUSPENDED' | null>;
}

export const actorStatus = defineCall({
  subgraph: 'admin',
  kind: 'query',
  name: 'actorStatus',
  input: { actor_id: TEXT },
  output: z.enum(['ACTIVE', 'SUSPENDED']).nullable(),
});

/** Who acted earlier: a key, or the person of a session. */
const Grantor = z.object({
  /** Key, or actor of a person without a key. */
  key_id: z.string(),
  /** Session of the act; null for a key. */
  session_id: z.string().nullable(),
});
export type Grantor = z.infer<typeof Grantor>;

/** The present rights of earlier actors, for grants that last as long as their grantor may make them. */
export interface Grantors {
  /** Reads the database. Null for a key that is revoked, expired or unknown, and for a suspended actor. */
  rightsOf(grantor: Grantor): Promise<Principal | null>;
}

export const grantorRights = defineCall({
  subgraph: 'admin',
  kind: 'query',
  name: 'grantorRights',
  input: { grantor: json(Grantor) },
  output: PlainPrincipal.nullable(),
});
