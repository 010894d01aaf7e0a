import type { RequestContext } from '../../../shared/auth/context.js';
import type { Documents } from '../../../shared/contracts/documents.js';
import type { ExceptionDesk } from '../../../shared/contracts/exceptions.js';
import type { Holds } from '../../../shared/contracts/holds.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import {
  MATTER_LINK_KINDS,
  MATTER_LINKS,
  MAX_LINKS,
  type MatterLinkKind,
  type MatterLinks,
  withLink,
  withoutLink,
} from '../domain/legal-matter.js';
import { type MatterDeps, stepMatter } from './matter-step.js';
import type { BundleStore } from './ports/bundle-store.js';
import type { StoredMatter } from './ports/matter-store.js';

export interface LinkDeps extends MatterDeps {
  readonly bundles: BundleStore;
  readonly holds: Pick<Holds, 'facts' | 'activeOfMatter'>;
  readonly documents: Pick<Documents, 'list'>;
  readonly exceptions: Pick<ExceptionDesk, 'has'>;
}

export interface MatterLink {
  readonly matterId: string;
  readonly kind: MatterLinkKind;
  readonly ref: string;
}

/**
 * Puts something into a matter; again changes nothing.
 *
 * @throws NOT_FOUND for no such matter, or nothing of that kind under this identifier; INVALID_TRANSITION; CONFLICT when full
 */
export const linkMatter = (
  deps: LinkDeps,
  context: RequestContext,
  { matterId, kind, ref }: MatterLink,
): Promise<StoredMatter> =>
  stepMatter(deps, context, {
    matterId,
    action: 'link',
    link: { kind, ref },
    changes: async (standing) => {
      const links = withLink(standing, kind, ref);
      if (links === standing) return null;
      if ((await unknownOf(deps, standing.tenant_id, kind, [ref])).length > 0) {
        throw problem('NOT_FOUND', { message: 'There is nothing of this kind under this identifier.' });
      }
      const member = MATTER_LINKS[kind];
      if (links[member].length > MAX_LINKS) {
        throw problem('CONFLICT', { message: `A legal matter links ${MAX_LINKS} of a kind; open another one.` });
      }
      return { [member]: links[member] };
    },
  });

/**
 * Takes something out of a matter; what is not in it stays out. @throws NOT_FOUND, INVALID_TRANSITION; LEGAL_HOLD_ACTIVE for a
 * document while a hold of the matter is active
 */
export const unlinkMatter = (
  deps: LinkDeps,
  context: RequestContext,
  { matterId, kind, ref }: MatterLink,
): Promise<StoredMatter> =>
  stepMatter(deps, context, {
    matterId,
    action: 'unlink',
    link: { kind, ref },
    changes: async (standing) => {
      const links = withoutLink(standing, kind, ref);
      if (links === standing) return null;
      if (kind === 'documents') await refuseHeld(deps, standing);
      return { [MATTER_LINKS[kind]]: links[MATTER_LINKS[kind]] };
    },
  });

/** Holds of the matter cover its documents: taking one out would be a release, and that needs an authority. */
async function refuseHeld({ holds }: LinkDeps, { tenant_id, matter_id }: StoredMatter): Promise<void> {
  const active = await holds.activeOfMatter(tenant_id, matter_id);
  if (active.length === 0) return;
  throw problem('LEGAL_HOLD_ACTIVE', {
    message: 'A hold of this legal matter covers its documents; release it first.',
    extra: { hold_ids: [...active].sort() },
  });
}

/** @throws VALIDATION_ERROR with the place of every link to nothing */
export async function refuseUnknownLinks(deps: LinkDeps, tenantId: TenantId, links: MatterLinks): Promise<void> {
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

/** Those of the references that the tenant has nothing under. Members are the caller's own names: any will do. */
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
      return those(refs, async (ref) => isIdOf('bundle', ref) && (await bundles(tenantId).get(ref)) !== null);
    case 'exceptions':
      return those(refs, async (ref) => isIdOf('exception', ref) && (await exceptions.has(tenantId, ref)));
  }
}

async function those(refs: readonly string[], holds: (ref: string) => Promise<boolean>): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const ref of refs) if (await holds(ref)) found.add(ref);
  return found;
}
