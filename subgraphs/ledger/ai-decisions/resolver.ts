import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { type FieldFault, fault, problem } from '../../../shared/errors/problem.js';
import { referencesTo } from '../../../shared/graph/edges/references.js';
import { extraOf } from '../../../shared/graph/extra.js';
import { windowOf } from '../../../shared/graph/group-args.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { firstGroups } from '../../../shared/records/group-cells.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { timeArgument } from '../../../shared/time/time-argument.js';
import type { TenantContext, TenantContexts } from '../append/index.js';
import { type DamageDeps, readerOf, reportingDamage } from '../integrity/index.js';
import { defined } from './domain/entry.js';
import { fhirProvenance } from './domain/fhir.js';
import { provJson } from './domain/prov.js';
import { type AiDimension, groupDecisions, summarise } from './domain/summary.js';
import { type AiReadDeps, getAiDecision, listAiDecisions, namedAiDecisions } from './read.js';
import { type AiDeps, overrideAiDecision, recordAiDecision } from './record.js';
import { AiDecisionAggregate, AiDecisionAggregateArgs } from './schema/aggregate.js';
import { AiDecision, AiDecisionInput, AiDecisionPage, AiOverrideInput } from './schema/decision.js';
import { AiDecisionExport, AiDecisionExportArgs, AiDecisionFilter, AiDecisionSummary } from './schema/queries.js';

const DECISION_ID = { description: 'The decision.' };

const EXPORTS = { prov: provJson, fhir: fhirProvenance } as const;
const isExport = (format: string): format is keyof typeof EXPORTS => Object.hasOwn(EXPORTS, format);

// A dimension has the name of its member, in capitals.
const memberOf = (dimension: Uppercase<AiDimension>): AiDimension => dimension.toLowerCase() as AiDimension;

interface AiResolverDeps extends AiDeps, DamageDeps {}

interface ReadAiDeps extends AiReadDeps, DamageDeps {
  readonly contexts: TenantContexts;
}

/** Runs a read of decisions under its scope; damage that it finds opens an exception. */
async function readingDecisions<T>(
  deps: ReadAiDeps,
  context: RequestContext,
  read: (tenant: TenantContext) => Promise<T>,
): Promise<T> {
  const tenantId = authorise(context, 'ai-provenance:read');
  const tenant = await deps.contexts.of(tenantId);
  return reportingDamage(deps, readerOf(context, tenantId), () => read(tenant));
}

/** Resolves references to decisions under the scope of `aiDecision`. */
export const aiDecisionReferences = (deps: ReadAiDeps) =>
  referencesTo('decision_id', 'aiDecision', (context, ids) =>
    readingDecisions(deps, context, (tenant) => namedAiDecisions(deps, tenant, ids)),
  );

@Resolver()
export class AiDecisionResolver {
  readonly #deps: AiResolverDeps;

  constructor(deps: AiResolverDeps) {
    this.#deps = deps;
  }

  @Mutation(() => AiDecision, { description: 'Records a decision that a model made or helped to make.' })
  async recordAiDecision(
    @Arg('input', () => AiDecisionInput) input: AiDecisionInput,
    @Ctx() context: RequestContext,
  ): Promise<AiDecision> {
    return recordAiDecision(this.#deps, context, deeplyWithoutNulls(input));
  }

  @Mutation(() => AiDecision, { description: 'Overrides the outcome of a decision; its entry stays unchanged.' })
  async overrideAiDecision(
    @Arg('decision_id', () => String, DECISION_ID) id: string,
    @Arg('input', () => AiOverrideInput) input: AiOverrideInput,
    @Ctx() context: RequestContext,
  ): Promise<AiDecision> {
    const { credentials, extra, ...rest } = input;
    const override = {
      ...rest,
      ...defined({ extra: extraOf(extra) }),
      ...(credentials == null ? {} : { credentials }),
    };
    const reader = readerOf(context, authorise(context, 'ai-provenance:write'));
    const take = () => overrideAiDecision(this.#deps, context, id, override);
    return await reportingDamage(this.#deps, reader, take);
  }

  @Query(() => AiDecisionPage, { description: 'AI decisions of the tenant.' })
  async aiDecisions(
    @Args(() => AiDecisionFilter) filter: AiDecisionFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<AiDecision>> {
    return this.#page(filter, context);
  }

  @Query(() => AiDecision, { nullable: true, description: 'An AI decision.' })
  async aiDecision(
    @Arg('decision_id', () => String, DECISION_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<AiDecision | null> {
    return this.#read(context, (tenant) => getAiDecision(this.#deps, tenant, id));
  }

  @Query(() => AiDecisionSummary, { description: 'Counts and override rates of AI decisions.' })
  async aiDecisionSummary(
    @Ctx() context: RequestContext,
    @Arg('from', () => String, { nullable: true, description: 'Made at this time or later.' }) from?: string,
    @Arg('to', () => String, { nullable: true, description: 'Made before this time.' }) to?: string,
  ): Promise<AiDecisionSummary> {
    const tenant = await this.#deps.contexts.of(authorise(context, 'ai-provenance:read'));
    const errors: FieldFault[] = [];
    const window = { fromMs: timeArgument('/from', from, errors), toMs: timeArgument('/to', to, errors) };
    if (errors.length > 0) throw problem('VALIDATION_ERROR', { errors });
    const cells = await this.#deps.decisions(tenant.tenantId).cells(window);
    return { from: from ?? null, to: to ?? null, ...summarise(cells) };
  }

  @Query(() => AiDecisionAggregate, { description: 'Groups AI decisions by their values.' })
  async aiDecisionAggregate(
    @Ctx() context: RequestContext,
    @Args(() => AiDecisionAggregateArgs) { by, limit, ...window }: AiDecisionAggregateArgs,
  ): Promise<AiDecisionAggregate> {
    const tenantId = authorise(context, 'ai-provenance:read');
    const cells = await this.#deps.decisions(tenantId).cells(windowOf(window));
    return firstGroups(cells, groupDecisions(cells, by.map(memberOf)), limit);
  }

  @Query(() => JsonScalar, {
    nullable: true,
    description: 'An AI decision as PROV-JSON (`prov`) or as FHIR R4 Provenance (`fhir`).',
  })
  async aiDecisionExport(
    @Arg('decision_id', () => String, DECISION_ID) id: string,
    @Arg('format', () => String, { nullable: true, description: 'prov (default) or fhir.' })
    format: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<unknown> {
    authorise(context, 'ai-provenance:read');
    const form = format ?? 'prov';
    if (!isExport(form)) {
      throw problem('VALIDATION_ERROR', { errors: [fault('/format', 'enum', 'Must be prov or fhir.')] });
    }
    const found = await this.#read(context, (tenant) => getAiDecision(this.#deps, tenant, id));
    return found && EXPORTS[form]([found]);
  }

  @Query(() => AiDecisionExport, { description: 'AI decisions as one document of PROV-JSON or FHIR.' })
  async aiDecisionsExport(
    @Args(() => AiDecisionExportArgs) { format, ...filter }: AiDecisionExportArgs,
    @Ctx() context: RequestContext,
  ): Promise<AiDecisionExport> {
    const page = await this.#page(filter, context);
    const form = format ?? 'prov';
    return { format: form, document: EXPORTS[form](page.items), next_cursor: page.next_cursor };
  }

  async #page(filter: AiDecisionFilter, context: RequestContext): Promise<Page<AiDecision>> {
    return this.#read(context, (tenant) => listAiDecisions(this.#deps, tenant, listQueryOf(filter)));
  }

  #read<T>(context: RequestContext, read: (tenant: TenantContext) => Promise<T>): Promise<T> {
    return readingDecisions(this.#deps, context, read);
  }
}

/** Drops optional members without a value; free JSON stays as it was sent. */
function deeplyWithoutNulls({ inputs, output, metadata, extra, ...input }: AiDecisionInput): AiDecisionInput {
  const given: object = { ...cleaned(input), ...defined({ inputs, output, metadata, extra: extraOf(extra) }) };
  // The contract has checked the required members, which are not null.
  return given as AiDecisionInput;
}

const cleaned = (value: object): object =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      member == null ? [] : [[name, typeof member === 'object' ? cleaned(member) : member]],
    ),
  );
