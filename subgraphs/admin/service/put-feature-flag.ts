import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { ledgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { definitionFaults, FEATURE_FLAG_MACHINE, type FlagDefinition } from '../domain/feature-flag.js';
import type { FlagRecord, FlagStatus, FlagStore, FlagWrite } from './ports/feature-flag-store.js';

/** What one request evaluates at most, and so what a tenant may have. */
export const MAX_FLAGS_PER_TENANT = 1_000;

export interface FlagDeps extends WorkDeps {
  readonly flags: FlagStore;
  readonly clock: Clock;
}

export interface PutFlag {
  readonly key: string;
  readonly definition: FlagDefinition;
  /** The revision that the caller has seen; another one standing is a CONFLICT. */
  readonly revision?: number | undefined;
}

/** Writers who meet on one flag try again this often. */
const MAX_ATTEMPTS = 5;

/**
 * Makes a flag, changes it, or brings an archived one back. What is put again unchanged changes nothing. Recorded in the
 * flag's history and as a `_platform` entry. @throws VALIDATION_ERROR, CONFLICT for another revision or too many flags.
 */
export async function putFeatureFlag(deps: FlagDeps, context: RequestContext, put: PutFlag): Promise<FlagRecord> {
  const tenantId = authorise(context, 'flags:write');
  const errors = definitionFaults(put.definition).map(({ path, code, message }) => fault(path, code, message));
  if (errors.length > 0) throw problem('VALIDATION_ERROR', { errors });
  const flags = deps.flags(tenantId);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = await flags.get(put.key);
    refuseOtherRevision(standing, put.revision);
    if (standing?.status === 'PRESENT' && changedMembers(standing, put.definition).length === 0) return standing;
    if (standing?.status !== 'PRESENT' && (await flags.count()) >= MAX_FLAGS_PER_TENANT) {
      throw problem('CONFLICT', { message: `A tenant has at most ${MAX_FLAGS_PER_TENANT} flags.` });
    }
    const write = writeOf(deps, context, { tenantId, key: put.key, standing }, 'put', put.definition);
    const stored = await (standing === null ? flags.insert(write) : flags.replace(write, standing.revision));
    if (stored === null) continue;
    await flags.relay(write);
    return stored;
  }
  throw problem('CONFLICT', { message: 'The flag is being changed by others; read it and try again.' });
}

/** Archives a flag: its key answers as if it had never been. @throws NOT_FOUND, CONFLICT */
export async function deleteFeatureFlag(deps: FlagDeps, context: RequestContext, key: string): Promise<FlagRecord> {
  const tenantId = authorise(context, 'flags:write');
  const flags = deps.flags(tenantId);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = await flags.get(key);
    if (standing === null || standing.status !== 'PRESENT') throw problem('NOT_FOUND');
    const write = writeOf(deps, context, { tenantId, key, standing }, 'delete', standing);
    const stored = await flags.replace(write, standing.revision);
    if (stored === null) continue;
    await flags.relay(write);
    return stored;
  }
  throw problem('CONFLICT', { message: 'The flag is being changed by others; read it and try again.' });
}

function refuseOtherRevision(standing: FlagRecord | null, revision: number | undefined): void {
  if (revision === undefined || standing?.revision === revision) return;
  throw problem('CONFLICT', { message: 'The flag is at another revision than the one named.' });
}

const MEMBERS = [
  'type',
  'description',
  'variants',
  'default_variant',
  'targeting',
  'enabled',
  'owner',
  'expires_at',
] as const satisfies readonly (keyof FlagDefinition)[];

/** As JSON, so that dates and objects compare by value. */
const changedMembers = (before: FlagDefinition, after: FlagDefinition): string[] =>
  MEMBERS.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));

const definitionOf = (flag: FlagDefinition): FlagDefinition => ({
  type: flag.type,
  description: flag.description,
  variants: flag.variants,
  default_variant: flag.default_variant,
  targeting: flag.targeting,
  enabled: flag.enabled,
  owner: flag.owner,
  expires_at: flag.expires_at,
});

interface Subject {
  readonly tenantId: FlagRecord['tenant_id'];
  readonly key: string;
  readonly standing: FlagRecord | null;
}

function writeOf(
  deps: FlagDeps,
  context: RequestContext,
  { tenantId, key, standing }: Subject,
  action: 'put' | 'delete',
  definition: FlagDefinition,
): FlagWrite {
  const step = transition<FlagStatus, 'put' | 'delete'>(FEATURE_FLAG_MACHINE, standing?.status ?? null, action);
  const at = new Date(deps.clock.nowMs());
  const { ids } = forWork(deps, context, `${action}-feature-flag`);
  const { keyId, actorId } = context.principal;
  const record = {
    ...definitionOf(definition),
    tenant_id: tenantId,
    key,
    status: step.to,
    revision: (standing?.revision ?? 0) + 1,
    created_at: standing?.created_at ?? at,
    updated_at: at,
  };
  const changed = standing === null || action === 'delete' ? [] : changedMembers(standing, definition);
  const pending = step.emits.map((eventType) =>
    ledgerEntryEffect(ids, {
      tenant_id: tenantId,
      source_system: '_platform',
      entry: {
        event_family: 'feature-flag',
        event_type: eventType,
        event_effective_timestamp: isoTime(at.getTime()),
        payload: {
          key,
          revision: record.revision,
          enabled: record.enabled,
          changed,
          definition_sha256: definitionSha256(record),
          by: keyId,
          ...(actorId === null ? {} : { actor_id: actorId }),
        },
      },
    }),
  );
  const change = {
    revision: record.revision,
    action: step.emits[0] ?? action,
    at,
    by: keyId,
    actor_id: actorId,
    changed,
  };
  return { record, change, pending };
}

/** Names the definition without telling it: rules may look at anything. */
const definitionSha256 = (flag: FlagDefinition): string => {
  const { expires_at, targeting, ...rest } = definitionOf(flag);
  const json = { ...rest, targeting: [...targeting], expires_at: expires_at && isoTime(expires_at.getTime()) };
  return sha256Hex(canonicalJson(json as unknown as JsonObject));
};
