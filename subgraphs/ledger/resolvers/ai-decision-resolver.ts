import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../../../shared/pagination/cursor.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { fhirProvenance } from '../domain/ai-fhir.js';
import { provJson } from '../domain/ai-prov.js';
import {
  AiDecision,
  AiDecisionExport,
  AiDecisionExportArgs,
  AiDecisionFilter,
  AiDecisionInput,
  AiDecisionPage,
  AiOverrideInput,
} from '../schema/ai-decision.js';
import { AiDecisionSummary } from '../schema/ai-summary.js';
import type { AiDeps } from '../service/ai-append.js';
import { overrideAiDecision } from '../service/ai-override.js';
import { type AiDecisionView, getAiDecision, listAiDecisions, summariseAiDecisions } from '../service/ai-read.js';
import { type AiDecisionInput as RecordInput, recordAiDecision } from '../service/ai-record.js';
import type { TenantContext } from '../service/tenant-context.js';
import { type DamageDeps, readerOf, tellingDamage } from '../service/verify-on-read.js';

const shown = (view: AiDecisionView): AiDecision => ({ ...view, overrides: [...view.overrides] });

const DECISION_ID = { description: 'The decision.' };

const EXPORTS = { prov: provJson, fhir: fhirProvenance } as const;
const isExport = (format: string): format is keyof typeof EXPORTS => Object.hasOwn(EXPORTS, format);

function timeOf(path: string, text: string | null | undefined): number | undefined {
  if (text == null) return undefined;
  const instant = instantOf(text);
  if (instant !== undefined) return instant;
  throw problem('VALIDATION_ERROR', { errors: [fault(path, 'format', 'Must be an RFC 3339 time with a zone.')] });
}

export interface AiResolverDeps extends AiDeps, DamageDeps {}

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
    const given = deeplyWithoutNulls(input) as unknown as RecordInput;
    return shown(await recordAiDecision(this.#deps, context, given));
  }

  @Mutation(() => AiDecision, { description: 'Puts an outcome in the place of a decision; its entry stays.' })
  async overrideAiDecision(
    @Arg('decision_id', () => String, DECISION_ID) id: string,
    @Arg('input', () => AiOverrideInput) input: AiOverrideInput,
    @Ctx() context: RequestContext,
  ): Promise<AiDecision> {
    const { credentials, ...rest } = input;
    const override = { ...rest, ...(credentials == null ? {} : { credentials }) };
    const reader = readerOf(context, authorise(context, 'ai-provenance:write'));
    const take = () => overrideAiDecision(this.#deps, context, id, override);
    return shown(await tellingDamage(this.#deps, reader, take));
  }

  @Query(() => AiDecisionPage, { description: 'AI decisions of the tenant.' })
  async aiDecisions(
    @Args(() => AiDecisionFilter) filter: AiDecisionFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<AiDecision>> {
    const page = await this.#page(filter, context);
    return { items: page.items.map(shown), next_cursor: page.next_cursor };
  }

  @Query(() => AiDecision, { nullable: true, description: 'An AI decision.' })
  async aiDecision(
    @Arg('decision_id', () => String, DECISION_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<AiDecision | null> {
    const found = await this.#read(context, (tenant) => getAiDecision(this.#deps, tenant, id));
    return found && shown(found);
  }

  @Query(() => AiDecisionSummary, { description: 'Counts and override rates of AI decisions.' })
  async aiDecisionSummary(
    @Ctx() context: RequestContext,
    @Arg('from', () => String, { nullable: true, description: 'Made at this time or later.' }) from?: string,
    @Arg('to', () => String, { nullable: true, description: 'Made before this time.' }) to?: string,
  ): Promise<AiDecisionSummary> {
    const tenant = await this.#deps.contexts.of(authorise(context, 'ai-provenance:read'));
    const window = { fromMs: timeOf('/from', from), toMs: timeOf('/to', to) };
    const summary = await summariseAiDecisions(this.#deps, tenant, window);
    return { from: from ?? null, to: to ?? null, ...summary } as AiDecisionSummary;
  }

  @Query(() => JsonScalar, {
    nullable: true,
    description: 'An AI decision as PROV-JSON (`prov`) or as FHIR R4 Provenance (`fhir`).',
  })
  async aiDecisionExport(
    @Arg('decision_id', () => String, DECISION_ID) id: string,
    @Arg('format', () => String, { nullable: true, description: 'prov or fhir; prov unless told.' })
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

  async #page(filter: AiDecisionFilter, context: RequestContext): Promise<Page<AiDecisionView>> {
    const { from, to, limit, order, ...rest } = withoutNulls(filter);
    const query = { ...rest, limit: limit ?? DEFAULT_PAGE_LIMIT, order: order ?? 'desc' };
    return this.#read(context, (tenant) =>
      listAiDecisions(this.#deps, tenant, { ...query, fromMs: timeOf('/from', from), toMs: timeOf('/to', to) }),
    );
  }

  async #read<T>(context: RequestContext, read: (tenant: TenantContext) => Promise<T>): Promise<T> {
    const tenantId = authorise(context, 'ai-provenance:read');
    const tenant = await this.#deps.contexts.of(tenantId);
    return tellingDamage(this.#deps, readerOf(context, tenantId), () => read(tenant));
  }
}

/** Members that are merely optional are absent or have a value; what is free JSON stays as it was sent. */
function deeplyWithoutNulls({ inputs, output, metadata, ...input }: AiDecisionInput): Record<string, unknown> {
  const free = Object.fromEntries(
    Object.entries({ inputs, output, metadata }).filter(([, value]) => value !== undefined),
  );
  return { ...cleaned(input), ...free };
}

function cleaned(value: object): Record<string, unknown> {
  const members = Object.entries(value).filter(([, member]) => member != null);
  return Object.fromEntries(
    members.map(([name, member]) => [name, typeof member === 'object' ? cleaned(member as object) : member]),
  );
}
