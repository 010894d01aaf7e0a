import { effectiveScopes, type GrantedScope, OPERATOR_SCOPE } from '../../../shared/auth/scopes.js';

/** What a key's worth is made of, as stored. */
export interface WorthParts {
  readonly isOperatorKey: boolean;
  readonly scopes: readonly GrantedScope[];
  /** Scopes of the key's own roles, those that are still there. */
  readonly roleScopes: readonly GrantedScope[];
  /** What the roles of the actor give; null where the key is bound to nobody. */
  readonly actorScopes: readonly GrantedScope[] | null;
}

/**
 * What a key amounts to (docs/api-keys.md): its own scopes and those of its roles, and, where it is bound to an actor, of
 * these only what the actor's roles give as well. Null for an operator's key that does not come to `*`: a key of no
 * tenant that is less than that would be one that no rule speaks of.
 */
export function keyWorth(parts: WorthParts): readonly GrantedScope[] | null {
  const own = [...new Set([...parts.scopes, ...parts.roleScopes])].sort();
  const granted = parts.actorScopes === null ? own : within(own, parts.actorScopes);
  return parts.isOperatorKey && !granted.includes(OPERATOR_SCOPE) ? null : granted;
}

// Both sides are closed under implication, and so is what they share: the list of it implies nothing beyond itself.
function within(own: readonly GrantedScope[], ceiling: readonly GrantedScope[]): readonly GrantedScope[] {
  if (ceiling.includes(OPERATOR_SCOPE)) return own;
  const allowed = effectiveScopes(ceiling);
  return [...effectiveScopes(own)].filter((scope) => allowed.has(scope)).sort();
}
