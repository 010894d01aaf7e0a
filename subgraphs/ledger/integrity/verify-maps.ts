import type { MapFinding } from '../state-map/index.js';
import { type MapPlace, type PartFindings, type VerifiedTenant, type VerifyDeps, wholeBreak } from './verify-state.js';

/**
 * Folds all entries and compares the root with the newest entry `map.committed` (docs/evidence.md "State map").
 *
 * @returns null at the end; the place of a fold that still runs otherwise.
 */
export async function verifyMapPart(
  { mapFolds }: VerifyDeps,
  { context }: VerifiedTenant,
  { fold }: MapPlace,
  findings: PartFindings,
): Promise<MapPlace | null> {
  if (mapFolds === undefined) return null;
  const { id, finding } = await mapFolds.step(context.tenantId, fold);
  if (finding === null) return { phase: 'MAP', fold: id };
  reportFinding(finding, findings);
  return null;
}

function reportFinding({ map, folded, voids, after, differing, fault }: MapFinding, findings: PartFindings): void {
  const leave = (what: string, why: string): void => void findings.notChecked.push({ what, why });
  if (voids > 0) {
    const why = 'They are at another place than they name, or under no checkpoint of their own, and prove nothing.';
    leave(`${voids} void entries map.committed`, why);
  }
  if (map === null) {
    if (after > 0) leave('the state map', 'No entry map.committed is valid yet; one follows with the next checkpoint.');
    return;
  }
  const place = `The state map of the first ${map.tree_size} entries (${map.event_id})`;
  if (fault !== null) {
    findings.report([wholeBreak('MAP_MISMATCH', `${place} cannot be folded: ${fault}.`)]);
  } else if (folded !== map.root) {
    const named = differing.map((key) => ({
      ...wholeBreak('MAP_MISMATCH', `${place} differs from what the entries say of ${key}.`),
      key,
    }));
    const whole = wholeBreak('MAP_MISMATCH', `${place} has the root ${map.root}; the entries lead to ${folded}.`);
    findings.report(named.length > 0 ? named : [whole]);
  }
  if (after > 0) leave(`the state map of the last ${after} entries`, 'No valid entry map.committed covers them yet.');
}
