import { Arg, Args, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { CustodyFactsPage, MemberCustodyAsked } from '../../../shared/contracts/custody-reads.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import type { WorkDeps } from '../../../shared/ids/work.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { CustodyFilter, CustodyInput, CustodyPage, CustodyRecord } from '../schema/custody.js';
import { LedgerVerification } from '../schema/ledger-verification.js';
import type { IngestDeps } from '../service/ingest-events.js';
import type { CustodyStore } from '../service/ports/custody-store.js';
import { custodyOfMembers, listCustody } from '../service/read-custody.js';
import { recordCustody } from '../service/record-custody.js';
import type { TenantContexts } from '../service/tenant-context.js';
import { type DamageDeps, readerOf, tellingDamage } from '../service/verify-on-read.js';

export interface CustodyResolverDeps extends IngestDeps, WorkDeps, DamageDeps {
  readonly contexts: TenantContexts;
  readonly custodyEntries: CustodyStore;
  /** Of the partition `_custody`. */
  readonly verify: (tenantId: string) => Promise<LedgerVerification>;
}

const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : instantOf(text));

/** The chain of custody (api.md section 4 "Custody"). Reading it writes none. */
@Resolver()
export class CustodyResolver {
  readonly #deps: CustodyResolverDeps;

  constructor(deps: CustodyResolverDeps) {
    this.#deps = deps;
  }

  @Query(() => CustodyPage, { description: 'Acts of custody, oldest first unless told.' })
  async custody(
    @Ctx() context: RequestContext,
    @Args(() => CustodyFilter) filter: CustodyFilter,
  ): Promise<Page<CustodyRecord>> {
    const tenantId = authorise(context, 'custody:read');
    const { from, to, ...rest } = withoutNulls(filter);
    const input = { ...rest, fromMs: timeOf(from), toMs: timeOf(to) };
    const list = () => listCustody(this.#deps.custodyEntries(tenantId), input);
    const page = await tellingDamage(this.#deps, readerOf(context, tenantId), list);
    return page as unknown as Page<CustodyRecord>;
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Acts of custody that name members (CustodyFactsPage).' })
  async memberCustody(
    @Ctx() context: RequestContext,
    @Arg('asked', () => JsonScalar, { description: 'Which (MemberCustodyAsked).' }) asked: unknown,
  ): Promise<CustodyFactsPage> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    const list = () => custodyOfMembers(this.#deps.custodyEntries(tenantId), asked as MemberCustodyAsked);
    return tellingDamage(this.#deps, readerOf(context, tenantId), list);
  }

  @Mutation(() => CustodyRecord, { description: 'Records an act of custody outside the service.' })
  async recordCustody(
    @Ctx() context: RequestContext,
    @Arg('input', () => CustodyInput) input: CustodyInput,
  ): Promise<CustodyRecord> {
    const tenant = await this.#deps.contexts.of(authorise(context, 'custody:write'));
    const { at, ...members } = withoutNulls(input);
    const { action, subject } = input;
    const entry = { ...members, action, subject, atMs: at === undefined ? undefined : instantOf(at) };
    return (await recordCustody(this.#deps, tenant, context, entry)) as unknown as CustodyRecord;
  }

  @Query(() => LedgerVerification, { description: 'Hashes the chain of custody again.' })
  async verifyCustody(@Ctx() context: RequestContext): Promise<LedgerVerification> {
    return this.#deps.verify(authorise(context, 'custody:read'));
  }
}
