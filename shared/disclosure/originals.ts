import { type Principal, type RequestContext, requireScope } from '../auth/context.js';
import type { HeldScope } from '../auth/scopes.js';

// The one place that decides who reads content that a redaction hides. test/architecture/consent-gate.test.ts rejects any
// other file of the service that names the scope.

/** Scope for originals. `admin` does not imply it. */
const ORIGINALS: HeldScope = 'documents:unredacted';

/** Returns true if the caller reads content that a redaction hides from everyone else. */
export const readsOriginals = ({ scopes }: { readonly scopes: ReadonlySet<HeldScope> }): boolean =>
  scopes.has(ORIGINALS);

/** Checks that the caller reads originals. @throws FORBIDDEN */
export const requireOriginals = (context: RequestContext): void => requireScope(context, ORIGINALS);

/** The caller with all rights but the one to originals: another party gets content in the name of this caller. */
export const withoutOriginals = (principal: Principal): Principal => ({
  ...principal,
  scopes: new Set([...principal.scopes].filter((scope) => scope !== ORIGINALS)),
});
