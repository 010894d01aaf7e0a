import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { readsOriginals } from '../../../shared/disclosure/originals.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { type ResultRow, type TenantContexts, visibleRows } from '../append/index.js';
import type { RedactionStore } from '../redactions/index.js';
import { ingestRaw, type RawIngestDeps } from './ingest-raw.js';
import { previewRaw } from './preview-raw.js';
import { readIngest, readIngestRows } from './read-ingest.js';
import { IngestRowFilter, IngestRowPage, MessageArgs, RawIngestResult, type RawIngestRow } from './schema/index.js';
import { RawPreview } from './schema/preview.js';
import { withoutRawHashes } from './withhold-raw-hashes.js';

interface RawIngestResolverDeps extends RawIngestDeps, WorkDeps {
  readonly contexts: TenantContexts;
  readonly redactions: RedactionStore;
}

@Resolver()
export class RawIngestResolver {
  readonly #deps: RawIngestResolverDeps;

  constructor(deps: RawIngestResolverDeps) {
    this.#deps = deps;
  }

  @Mutation(() => RawIngestResult, { description: 'Ingests a raw message from the write-once store.' })
  async ingestRaw(
    @Ctx() context: RequestContext,
    @Arg('raw_sha256', () => String, { description: 'SHA-256 of the stored body.' }) raw_sha256: string,
    @Args(() => MessageArgs) stated: MessageArgs,
  ): Promise<RawIngestResult> {
    const tenant = await this.#deps.contexts.of(authorise(context, 'events:write'));
    const { ids } = forWork(this.#deps, context, 'ingest-raw');
    const answer = await ingestRaw(this.#deps, tenant, { raw_sha256, ...withoutNulls(stated), ids });
    // Keyed work that runs again finds its own events as accepted; they may be redacted by now.
    return answer.duplicated === 0 && context.workId === null
      ? answer
      : { ...answer, results: await this.#visible(context, authorise(context, 'events:write'), answer.results) };
  }

  @Query(() => RawPreview, { description: 'Says what a raw message would become; writes nothing.' })
  previewRaw(
    @Ctx() context: RequestContext,
    @Arg('content', () => String, { description: 'The body in base64.' }) content: string,
    @Args(() => MessageArgs) stated: MessageArgs,
  ): Promise<RawPreview> {
    const tenantId = authorise(context, 'events:write');
    return previewRaw(this.#deps, tenantId, { ...withoutNulls(stated), content: Buffer.from(content, 'base64') });
  }

  @Query(() => RawIngestResult, { nullable: true, description: 'Returns the answer to a raw message.' })
  async ingest(
    @Ctx() context: RequestContext,
    @Arg('ingest_id', () => String, { description: 'The ingest.' }) ingestId: string,
  ): Promise<RawIngestResult | null> {
    const tenantId = authorise(context, 'events:read');
    const store = this.#deps.ingests(tenantId);
    const answer = await readIngest(store, ingestId);
    if (answer === null) return null;
    const results = await this.#visible(context, tenantId, answer.results);
    if (readsOriginals(context.principal)) return { ...answer, results };
    return { ...(await withoutRawHashes(store, this.#deps.redactions(tenantId), answer)), results };
  }

  @Query(() => IngestRowPage, { nullable: true, description: 'Lists all rows of a raw message in reading order.' })
  async ingestResults(
    @Ctx() context: RequestContext,
    @Arg('ingest_id', () => String, { description: 'The ingest.' }) ingestId: string,
    @Args(() => IngestRowFilter) filter: IngestRowFilter,
  ): Promise<Page<RawIngestRow> | null> {
    const tenantId = authorise(context, 'events:read');
    const asked = withoutNulls({ limit: filter.limit, cursor: filter.cursor });
    const page = await readIngestRows(this.#deps.ingests(tenantId), ingestId, asked);
    return page && { ...page, items: await this.#visible(context, tenantId, page.items) };
  }

  /** The rows that this reader may see now, whatever the original answer contained. */
  #visible<R extends ResultRow>(context: RequestContext, tenantId: TenantId, rows: readonly R[]): Promise<R[]> {
    return visibleRows(this.#deps.redactions(tenantId), rows, readsOriginals(context.principal));
  }
}
