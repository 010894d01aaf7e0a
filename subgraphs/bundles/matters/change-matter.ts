import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { Documents } from '../../../shared/contracts/documents.js';
import type { ExceptionDesk } from '../../../shared/contracts/exceptions.js';
import type { Holds } from '../../../shared/contracts/holds.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { type RecordKind, type StepDeps, type StepOptions, stepsOf } from '../../../shared/records/steps.js';
import type { BundleStore } from '../bundles/index.js';
import {
  MATTER_LINK_KINDS,
  MATTER_LINKS,
  MATTER_MACHINE,
  MAX_LINKS,
  MAX_MEMBER_BYTES,
  MAX_STEPS,
  type MatterAction,
  type MatterLinkKind,
  type MatterLinks,
  memberBytesFit,
  withLink,
  withoutLink,
} from './domain.js';
import type { LinkedRecord, MatterStore, StoredMatter } from './ports.js';
import type { MatterMembers } from './schema.js';

/** Creates a matter with its first links. @throws VALIDATION_ERROR for a link to an unknown record, too long member ids */
export async function createMatter(
  deps: LinkDeps,
  context: RequestContext,
  members: MatterMembers,
): Promise<StoredMatter> {
  const steps = matterSteps(deps, context);
  const unique = { ...members };
  for (const name of MATTER_LINK_KINDS.map((kind) => MATTER_LINKS[kind])) unique[name] = [...new Set(members[name])];
  if (!memberBytesFit(unique.member_ids)) {
    const errors = [fault('/member_ids', 'max', `Must have at most ${MAX_MEMBER_BYTES} bytes in all; ${LESS}.`)];
    throw problem('VALIDATION_ERROR', { errors });
  }
  await rejectUnknownLinks(deps, steps.rows.tenantId, unique);
  return steps.create(() => ({ ...unique, closed_at: null }));
}

const LESS = 'use shorter identifiers, or open another legal matter';

/** Changes members of an open matter. @throws NOT_FOUND, INVALID_TRANSITION if it is closed, CONFLICT */
export const updateMatter = (
  deps: MatterDeps,
  context: RequestContext,
  { matterId, members, revision }: { matterId: string; members: Partial<MatterMembers>; revision?: number | undefined },
): Promise<StoredMatter> =>
  stepMatter(deps, context, { matterId, action: 'update' }, { revision, change: () => members });

/** Closes a matter for good. @throws NOT_FOUND, INVALID_TRANSITION, LEGAL_HOLD_ACTIVE while one of its holds is active */
export const closeMatter = (deps: LinkDeps, context: RequestContext, matterId: string): Promise<StoredMatter> =>
  stepMatter(
    deps,
    context,
    { matterId, action: 'close' },
    {
      change: async ({ tenant_id, matter_id, hold_ids }, at) => {
        const linked = await deps.holds.facts(tenant_id, hold_ids);
        const active = new Set(await deps.holds.activeOfMatter(tenant_id, matter_id));
        for (const { hold_id, status } of linked) if (status === 'ACTIVE') active.add(hold_id);
        if (active.size === 0) return { closed_at: at };
        throw problem('LEGAL_HOLD_ACTIVE', {
          message: 'A hold of this legal matter is active; release it first.',
          extra: { hold_ids: [...active].sort() },
        });
      },
    },
  );

interface MatterDeps extends StepDeps {
  readonly matters: MatterStore;
}

const MATTER: RecordKind<StoredMatter, 'matter_id'> = {
  machine: MATTER_MACHINE,
  idKind: 'matter',
  id: 'matter_id',
  noun: 'legal matter',
  family: 'legal-matter',
  facts: true,
  payload: ({ matter_id, kind }, step, { link }) => ({ matter_id, kind, ...step, ...(link && payloadOf(link)) }),
  line: (line) => ({ link: null, ...line }),
};

/** Membership in a case is personal: the entry of a member's link names only its kind. */
const payloadOf = ({ kind, ref }: LinkedRecord) => ({ link: kind, ...(kind === 'members' ? {} : { ref }) });

/** The steps of one request. */
const matterSteps = (deps: MatterDeps, context: RequestContext) =>
  stepsOf(MATTER, deps, context, deps.matters(authorise(context, 'matters:write')));

/** Takes one step. @throws NOT_FOUND, INVALID_TRANSITION if the matter is closed, CONFLICT */
function stepMatter(
  deps: MatterDeps,
  context: RequestContext,
  { matterId, action, link }: { matterId: string; action: MatterAction; link?: LinkedRecord },
  { revision, change }: Pick<StepOptions<StoredMatter, never>, 'revision' | 'change'>,
): Promise<StoredMatter> {
  return matterSteps(deps, context).take(matterId, action, {
    revision,
    change: async (before, at, taken) => {
      const changes = (await change?.(before, at, taken)) ?? null;
      if (changes !== null && before.history.length >= MAX_STEPS) {
        throw problem('CONFLICT', { message: `A legal matter has at most ${MAX_STEPS} steps; open another one.` });
      }
      return changes;
    },
    ...(link && { line: { link } }),
  });
}

export interface LinkDeps extends MatterDeps {
  readonly bundles: BundleStore;
  readonly holds: Pick<Holds, 'facts' | 'activeOfMatter'>;
  readonly documents: Pick<Documents, 'list'>;
  readonly exceptions: Pick<ExceptionDesk, 'has'>;
}

interface MatterLink extends LinkedRecord {
  readonly matterId: string;
}

/**
 * Links a record to a matter, or unlinks it; does nothing if it is so already.
 *
 * @throws NOT_FOUND for an unknown matter or record, INVALID_TRANSITION, CONFLICT if the matter is full
 * @throws LEGAL_HOLD_ACTIVE for the unlinking of a document while a hold of the matter is active
 */
export function changeLink(
  deps: LinkDeps,
  context: RequestContext,
  action: 'link' | 'unlink',
  { matterId, ...link }: MatterLink,
): Promise<StoredMatter> {
  const { kind, ref } = link;
  const name = MATTER_LINKS[kind];
  const change = async (matter: StoredMatter) => {
    const changed = (action === 'link' ? withLink : withoutLink)(matter, kind, ref);
    if (changed === matter) return null;
    if (action === 'link') await rejectNewLink(deps, matter, link, changed[name]);
    else if (kind === 'documents') await rejectHeld(deps, matter);
    return { [name]: changed[name] };
  };
  return stepMatter(deps, context, { matterId, action, link }, { change });
}

async function rejectNewLink(
  deps: LinkDeps,
  { tenant_id }: StoredMatter,
  { kind, ref }: LinkedRecord,
  links: readonly string[],
): Promise<void> {
  if ((await unknownOf(deps, tenant_id, kind, [ref])).length > 0) {
    throw problem('NOT_FOUND', { message: 'No record of this kind has this identifier.' });
  }
  if (kind === 'members' && !memberBytesFit(links)) {
    throw problem('CONFLICT', { message: `The members of a matter have at most ${MAX_MEMBER_BYTES} bytes; ${LESS}.` });
  }
  if (links.length <= MAX_LINKS) return;
  throw problem('CONFLICT', { message: `A legal matter has at most ${MAX_LINKS} links of a kind; open another one.` });
}

/** Holds of the matter cover its documents: unlinking one would be a release, which needs an authority. */
async function rejectHeld({ holds }: LinkDeps, { tenant_id, matter_id }: StoredMatter): Promise<void> {
  const active = await holds.activeOfMatter(tenant_id, matter_id);
  if (active.length === 0) return;
  throw problem('LEGAL_HOLD_ACTIVE', {
    message: 'A hold of this legal matter covers its documents; release it first.',
    extra: { hold_ids: [...active].sort() },
  });
}

/** @throws VALIDATION_ERROR with the place of every link to an unknown record */
async function rejectUnknownLinks(deps: LinkDeps, tenantId: TenantId, links: MatterLinks): Promise<void> {
  const errors = [];
  for (const kind of MATTER_LINK_KINDS) {
    const member = MATTER_LINKS[kind];
    const refs = links[member];
    for (const ref of await unknownOf(deps, tenantId, kind, refs)) {
      errors.push(fault(`/${member}/${refs.indexOf(ref)}`, 'unknown', 'No such record.'));
    }
  }
  if (errors.length > 0) throw problem('VALIDATION_ERROR', { errors });
}

/** Returns the references to unknown records. Members are names of the caller: any reference is valid. */
async function unknownOf(
  deps: LinkDeps,
  tenantId: TenantId,
  kind: MatterLinkKind,
  refs: readonly string[],
): Promise<readonly string[]> {
  if (refs.length === 0 || kind === 'members') return [];
  const known = await knownOf(deps, tenantId, kind, refs);
  return refs.filter((ref) => !known.has(ref));
}

const PAGE = 500;

async function knownOf(
  { bundles, holds, documents, exceptions }: LinkDeps,
  tenantId: TenantId,
  kind: Exclude<MatterLinkKind, 'members'>,
  refs: readonly string[],
): Promise<ReadonlySet<string>> {
  switch (kind) {
    case 'holds': {
      const wellFormed = refs.filter((ref) => isIdOf('hold', ref));
      return new Set((await holds.facts(tenantId, wellFormed)).map(({ hold_id }) => hold_id));
    }
    case 'documents': {
      const known = new Set<string>();
      const wellFormed = refs.filter((ref) => isIdOf('document', ref));
      for (let at = 0; at < wellFormed.length; at += PAGE) {
        const documentIds = wellFormed.slice(at, at + PAGE);
        const page = await documents.list(tenantId, { documentIds }, null, PAGE);
        for (const { document_id } of page.items) known.add(document_id);
      }
      return known;
    }
    case 'bundles':
      return filtered(refs, async (ref) => isIdOf('bundle', ref) && (await bundles(tenantId).get(ref)) !== null);
    case 'exceptions':
      return filtered(refs, async (ref) => isIdOf('exception', ref) && (await exceptions.has(tenantId, ref)));
  }
}

async function filtered(
  refs: readonly string[],
  isKnown: (ref: string) => Promise<boolean>,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const ref of refs) if (await isKnown(ref)) found.add(ref);
  return found;
}
