import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { IngestRowFilter, IngestRowPage, RawIngestResult, type RawIngestRow } from '../schema/raw-ingest.js';
import { ingestRaw, type RawIngestDeps } from '../service/ingest-raw.js';
import type { RedactionStore } from '../service/ports/redaction-store.js';
import { readIngest, readIngestRows } from '../service/read-ingest.js';
import type { TenantContexts } from '../service/tenant-context.js';
import { type HashedRow, withoutUntoldHashes } from '../service/untold-hashes.js';

export interface RawIngestResolverDeps extends RawIngestDeps, WorkDeps {
  readonly contexts: TenantContexts;
  readonly redactions: RedactionStore;
}

@Resolver()
export class RawIngestResolver {
  readonly #deps: RawIngestResolverDeps;

  constructor(deps: RawIngestResolverDeps) {
    this.#deps = deps;
  }

  @Mutation(() => RawIngestResult, { description: 'Reads a raw message that is in the write-once store into events.' })
  async ingestRaw(
    @Ctx() context: RequestContext,
    @Arg('raw_sha256', () => String, { description: 'SHA-256 of the stored body.' }) raw_sha256: string,
    @Arg('format', () => String, { nullable: true, description: 'x12, hl7v2, fhir or ncpdp.' }) format?: string,
    @Arg('content_type', () => String, { nullable: true, description: 'Content-Type as sent.' }) content_type?: string,
    @Arg('source_system', () => String, { nullable: true, description: 'Originating system.' }) source_system?: string,
    @Arg('strict', () => Boolean, { nullable: true, description: 'Refuse what the sender would.' }) strict?: boolean,
  ): Promise<RawIngestResult> {
    const tenant = await this.#deps.contexts.of(authorise(context, 'events:write'));
    const options = withoutNulls({ format, content_type, source_system, strict });
    const { ids } = forWork(this.#deps, context, 'ingest-raw');
    const answer = await ingestRaw(this.#deps, tenant, { raw_sha256, ...options, ids });
    return answer.duplicated === 0
      ? answer
      : { ...answer, results: await this.#told(context, tenant.tenantId, answer.results) };
  }

  @Query(() => RawIngestResult, { nullable: true, description: 'The answer that a raw message was given.' })
  async ingest(
    @Ctx() context: RequestContext,
    @Arg('ingest_id', () => String, { description: 'The ingest.' }) ingestId: string,
  ): Promise<RawIngestResult | null> {
    const tenantId = authorise(context, 'events:read');
    const answer = await readIngest(this.#deps.ingests(tenantId), ingestId);
    return answer && { ...answer, results: await this.#told(context, tenantId, answer.results) };
  }

  @Query(() => IngestRowPage, { nullable: true, description: 'All rows of a raw message, in the order read.' })
  async ingestResults(
    @Ctx() context: RequestContext,
    @Arg('ingest_id', () => String, { description: 'The ingest.' }) ingestId: string,
    @Args(() => IngestRowFilter) filter: IngestRowFilter,
  ): Promise<Page<RawIngestRow> | null> {
    const tenantId = authorise(context, 'events:read');
    const asked = withoutNulls({ limit: filter.limit, cursor: filter.cursor });
    const page = await readIngestRows(this.#deps.ingests(tenantId), ingestId, asked);
    return page && { ...page, items: await this.#told(context, tenantId, page.items) };
  }

  /** The rows as this reader may see them now, whatever was answered when they were made. */
  async #told<R extends HashedRow>(context: RequestContext, tenantId: string, rows: readonly R[]): Promise<R[]> {
    if (context.principal.scopes.has('documents:unredacted')) return [...rows];
    return withoutUntoldHashes(this.#deps.redactions(tenantId), rows);
  }
}
