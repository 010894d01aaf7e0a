import { hash, type X509Certificate } from 'node:crypto';
import { checkTimestamp, TimestampFault } from '../../../shared/timestamp/time-stamp.js';
import type { TenantTree } from '../transparency/index.js';
import type { CheckpointStamps } from './ports.js';

/** A time-stamp over the largest stamped tree of an incarnation, checked again; or why it anchors nothing. */
export type StampAnchor =
  | { readonly tree_size: number; readonly authority: string; readonly at: string }
  | { readonly fault: string };

/**
 * Checks the stored reply against the note as it is stored now: who can write to the database can write a stamp, so that
 * only an authority under a root of the deployment counts.
 *
 * @param roots certificates of SERVICE_TSA_CA_FILE
 * @returns null where there is no stamp
 */
export async function stampAnchor(
  stamps: CheckpointStamps,
  tree: Pick<TenantTree, 'checkpoint'>,
  { tenantId, incarnation }: { readonly tenantId: string; readonly incarnation: number },
  roots: readonly X509Certificate[],
): Promise<StampAnchor | null> {
  const row = await stamps.largest(tenantId, incarnation);
  if (row === null) return null;
  if (roots.length === 0) return { fault: 'No root of an authority is configured (SERVICE_TSA_CA_FILE).' };
  const checkpoint = await tree.checkpoint(row._id);
  if (checkpoint?.incarnation !== incarnation || typeof row.reply !== 'string')
    return { fault: 'The stamp is of no checkpoint of this incarnation.' };
  try {
    const sha256 = hash('sha256', checkpoint.note, 'buffer');
    const { token, leadsTo } = checkTimestamp(Buffer.from(row.reply, 'base64'), { sha256 });
    if (!leadsTo(roots)) return { fault: 'Its authority is not under a root of SERVICE_TSA_CA_FILE.' };
    return { tree_size: checkpoint.tree_size, authority: token.authority, at: token.gen_time };
  } catch (error) {
    if (error instanceof TimestampFault) return { fault: `It does not hold: ${error.message}.` };
    throw error;
  }
}
