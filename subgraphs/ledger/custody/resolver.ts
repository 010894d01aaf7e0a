import { Arg, Args, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { CustodyFactsPage, MemberCustodyAsked } from '../../../shared/contracts/custody.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import type { WorkDeps } from '../../../shared/ids/work.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import type { LedgerRow } from '../append/domain/index.js';
import type { IngestDeps, TenantContexts } from '../append/index.js';
import { type DamageDeps, readerOf, reportingDamage } from '../integrity/index.js';
import { LedgerVerification } from '../integrity/schema.js';
import type { RequireProven } from '../row-proofs/index.js';
import type { KnownSubjectsDeps } from './known-subjects.js';
import type { CustodyStore } from './ports.js';
import { custodyOfMembers, listCustody } from './read-custody.js';
import { recordCustody } from './record-custody.js';
import { CustodyFilter, CustodyInput, CustodyPage, CustodyRecord } from './schema.js';

interface CustodyResolverDeps extends IngestDeps, WorkDeps, DamageDeps, KnownSubjectsDeps {
  readonly contexts: TenantContexts;
  readonly custodyEntries: CustodyStore;
  readonly requireProven: RequireProven;
  /** A place in the partition `_custody`. */
  readonly verify: (tenantId: string) => Promise<LedgerVerification>;
}

const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : instantOf(text));

/** The chain of custody (api.md section 4 "Custody"). Reading it appends nothing to it. */
@Resolver()
export class CustodyResolver {
  readonly #deps: CustodyResolverDeps;

  constructor(deps: CustodyResolverDeps) {
    this.#deps = deps;
  }

  @Query(() => CustodyPage, { description: 'Acts of custody, oldest first by default.' })
  async custody(
    @Ctx() context: RequestContext,
    @Args(() => CustodyFilter) filter: CustodyFilter,
  ): Promise<Page<CustodyRecord>> {
    const tenantId = authorise(context, 'custody:read');
    const { from, to, ...rest } = withoutNulls(filter);
    const input = { ...rest, fromMs: timeOf(from), toMs: timeOf(to) };
    const list = () => listCustody(this.#proven(tenantId), input);
    return reportingDamage(this.#deps, readerOf(context, tenantId), list);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Acts of custody that name members (CustodyFactsPage).' })
  async memberCustody(
    @Ctx() context: RequestContext,
    @Arg('asked', () => JsonScalar, { description: 'Which (MemberCustodyAsked).' }) asked: MemberCustodyAsked,
  ): Promise<CustodyFactsPage> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    const list = () => custodyOfMembers(this.#proven(tenantId), asked);
    return reportingDamage(this.#deps, readerOf(context, tenantId), list);
  }

  @Mutation(() => CustodyRecord, { description: 'Records an act of custody outside the service.' })
  async recordCustody(
    @Ctx() context: RequestContext,
    @Arg('input', () => CustodyInput) input: CustodyInput,
  ): Promise<CustodyRecord> {
    const tenant = await this.#deps.contexts.of(authorise(context, 'custody:write'));
    const { at, allow_unknown, ...members } = withoutNulls(input);
    const { action, subject } = input;
    const allowUnknown = allow_unknown === true;
    const allowed = allowUnknown ? { detail: { ...members.detail, allow_unknown: true } } : {};
    const atMs = at === undefined ? undefined : instantOf(at);
    const entry = { ...members, ...allowed, action, subject, atMs, allowUnknown };
    return recordCustody(this.#deps, tenant, context, entry);
  }

  @Query(() => LedgerVerification, { description: 'Re-hashes the chain of custody.' })
  async verifyCustody(@Ctx() context: RequestContext): Promise<LedgerVerification> {
    return this.#deps.verify(authorise(context, 'custody:read'));
  }

  #proven(tenantId: string) {
    const { custodyEntries, requireProven } = this.#deps;
    const require = (rows: readonly LedgerRow[]): Promise<void> => requireProven(tenantId, rows);
    return { entries: custodyEntries(tenantId), requireProven: require };
  }
}
