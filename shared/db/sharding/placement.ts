import { sha256Hex } from '../../crypto/hash.js';

/** 13 hex digits are 52 bits, which a number holds exactly. */
const SCORE_DIGITS = 13;

/**
 * The zone of a tenant: the one with the highest score of (zone, tenant). A new zone takes only its own share of the tenants, and
 * no other tenant moves.
 *
 * @param zones at least one name
 */
export function zoneOf(tenantId: string, zones: readonly string[]): string {
  let best = '';
  let bestScore = -1;
  for (const zone of zones) {
    const score = Number.parseInt(sha256Hex(`${zone}\n${tenantId}`).slice(0, SCORE_DIGITS), 16);
    if (score <= bestScore) continue;
    best = zone;
    bestScore = score;
  }
  if (bestScore < 0) throw new Error('a placement needs a zone');
  return best;
}
