import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { problem } from '../../../shared/errors/problem.js';
import { forWork } from '../../../shared/ids/work.js';
import {
  MATTER_LINK_KINDS,
  MATTER_LINKS,
  type MatterKind,
  type MatterLinks,
  NO_LINKS,
} from '../domain/legal-matter.js';
import { type LinkDeps, refuseUnknownLinks } from './link-matter.js';
import { matterWrite, stepMatter } from './matter-step.js';
import type { MatterWrite, StoredMatter } from './ports/matter-store.js';

export interface MatterInput extends Partial<MatterLinks> {
  readonly name: string;
  readonly kind: MatterKind;
  readonly description?: string;
}

/** Members that a caller may change; null takes the description away. */
export interface MatterPatch {
  readonly name?: string;
  readonly kind?: MatterKind;
  readonly description?: string | null;
}

/** Opens a matter, with what belongs to it from the start. @throws VALIDATION_ERROR for a link to nothing */
export async function createMatter(
  deps: LinkDeps,
  context: RequestContext,
  { name, kind, description, ...given }: MatterInput,
): Promise<StoredMatter> {
  const tenantId = authorise(context, 'matters:write');
  const links = uniqueLinks(given);
  await refuseUnknownLinks(deps, tenantId, links);
  const at = new Date(deps.clock.nowMs());
  const matter: MatterWrite['matter'] = {
    matter_id: forWork(deps, context, 'create-matter').ids.next('matter'),
    tenant_id: tenantId,
    name,
    kind,
    description: description ?? null,
    ...links,
    status: 'OPEN',
    revision: 1,
    created_at: at,
    created_by: context.principal.keyId,
    updated_at: at,
    closed_at: null,
  };
  const matters = deps.matters(tenantId);
  const write = matterWrite(deps, context, { standing: null, matter, action: 'create', link: null });
  const stored = await matters.insert(write);
  if (stored !== null) await matters.relay(write);
  // The identifier is taken only when this very request has run before: what it made is the answer.
  const standing = stored ?? (await matters.get(matter.matter_id));
  if (standing === null) throw new Error('a fresh legal matter collided with one of another tenant');
  return standing;
}

/** Changes members of an open matter. @throws NOT_FOUND, INVALID_TRANSITION when it is closed, CONFLICT */
export const updateMatter = (
  deps: LinkDeps,
  context: RequestContext,
  { matterId, members, revision }: { matterId: string; members: MatterPatch; revision?: number | undefined },
): Promise<StoredMatter> =>
  stepMatter(deps, context, {
    matterId,
    action: 'update',
    changes: async (standing) => {
      if (revision !== undefined && standing.revision !== revision) {
        throw problem('CONFLICT', { message: 'The legal matter is at another revision than the one named.' });
      }
      return members;
    },
  });

/**
 * Closes a matter, for good. @throws NOT_FOUND, INVALID_TRANSITION; LEGAL_HOLD_ACTIVE while a hold of the matter, or one that
 * is linked to it, is active
 */
export const closeMatter = (deps: LinkDeps, context: RequestContext, matterId: string): Promise<StoredMatter> =>
  stepMatter(deps, context, {
    matterId,
    action: 'close',
    changes: async ({ tenant_id, matter_id, hold_ids }, _matters, at) => {
      const linked = await deps.holds.facts(tenant_id, hold_ids);
      const active = new Set(await deps.holds.activeOfMatter(tenant_id, matter_id));
      for (const { hold_id, status } of linked) if (status === 'ACTIVE') active.add(hold_id);
      if (active.size > 0) {
        throw problem('LEGAL_HOLD_ACTIVE', {
          message: 'A hold of this legal matter is active; release it first.',
          extra: { hold_ids: [...active].sort() },
        });
      }
      return { closed_at: at };
    },
  });

const uniqueLinks = (given: Partial<MatterLinks>): MatterLinks => {
  const members = MATTER_LINK_KINDS.map((kind) => MATTER_LINKS[kind]);
  return { ...NO_LINKS, ...Object.fromEntries(members.map((member) => [member, [...new Set(given[member] ?? [])]])) };
};
