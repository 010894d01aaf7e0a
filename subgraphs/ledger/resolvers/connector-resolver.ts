import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../../../shared/pagination/cursor.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { CONNECTOR_MACHINE } from '../domain/connector-states.js';
import {
  Connector,
  ConnectorFilter,
  ConnectorInput,
  ConnectorPage,
  ConnectorPatch,
  ConnectorTestResult,
  FhirReceipt,
} from '../schema/connector.js';
import {
  createConnector,
  deleteConnector,
  disableConnector,
  enableConnector,
  updateConnector,
} from '../service/connector-change.js';
import { type EndpointDeps, receiveFhir } from '../service/connector-endpoint.js';
import { type ConnectorView, getConnector, listConnectors, viewOf } from '../service/connector-read.js';
import { type ConnectorTestDeps, testConnector } from '../service/connector-test.js';
import { type ConnectorRow, NO_COUNTS } from '../service/ports/connector-store.js';

export type ConnectorResolverDeps = EndpointDeps & ConnectorTestDeps;

const timeOrNull = (at: Date | null | undefined): string | null => (at ? isoTime(at.getTime()) : null);
const instant = (text: string | undefined): number | undefined => (text == null ? undefined : instantOf(text));

function shown({ connector, run }: ConnectorView): Connector {
  const { wrapped_secrets, history, created_at, updated_at, ...rest } = connector;
  return {
    ...rest,
    secrets: Object.keys(wrapped_secrets).sort(),
    allowed_actions: allowedActions(CONNECTOR_MACHINE, connector.status),
    listening: run?.listening ?? null,
    last_message_at: timeOrNull(run?.last_message_at),
    last_error: run?.last_error ? { ...run.last_error, at: isoTime(run.last_error.at.getTime()) } : null,
    retry_at: connector.status === 'ERROR' ? timeOrNull(run?.retry_at) : null,
    counters: run?.counters ?? NO_COUNTS,
    created_at: isoTime(created_at.getTime()),
    updated_at: isoTime(updated_at.getTime()),
    history: history.map(({ work_id: _, at, ...step }) => ({ ...step, at: isoTime(at.getTime()) })),
  };
}

const CONNECTOR_ID = { description: 'The connector.' };

@Resolver()
export class ConnectorResolver {
  readonly #deps: ConnectorResolverDeps;

  constructor(deps: ConnectorResolverDeps) {
    this.#deps = deps;
  }

  @Query(() => ConnectorPage, { description: 'Connectors of the tenant.' })
  async connectors(
    @Args(() => ConnectorFilter) filter: ConnectorFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<Connector>> {
    const page = await listConnectors(this.#deps, context, {
      limit: filter.limit ?? DEFAULT_PAGE_LIMIT,
      order: filter.order ?? 'desc',
      cursor: filter.cursor ?? undefined,
      fromMs: instant(filter.from),
      toMs: instant(filter.to),
      kind: filter.kind ?? undefined,
      status: filter.status ?? undefined,
      source_system: filter.source_system ?? undefined,
    });
    return { items: page.items.map(shown), next_cursor: page.next_cursor };
  }

  @Query(() => Connector, { nullable: true, description: 'A connector, and how it fares.' })
  async connector(
    @Arg('connector_id', () => String, CONNECTOR_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<Connector | null> {
    const found = await getConnector(this.#deps, context, id);
    return found && shown(found);
  }

  @Mutation(() => Connector, { description: 'Makes a connector, DISABLED.' })
  async createConnector(
    @Arg('input', () => ConnectorInput) { kind, name, source_system, config }: ConnectorInput,
    @Ctx() context: RequestContext,
  ): Promise<Connector> {
    return this.#shown(await createConnector(this.#deps, context, { kind, name, source_system, config }));
  }

  @Mutation(() => Connector, { description: 'Changes a connector; one that runs is opened anew.' })
  async updateConnector(
    @Arg('connector_id', () => String, CONNECTOR_ID) id: string,
    @Arg('input', () => ConnectorPatch) input: ConnectorPatch,
    @Ctx() context: RequestContext,
  ): Promise<Connector> {
    const { name, source_system, config, revision } = input;
    const patch = withoutNulls({ name, source_system, config, revision });
    return this.#shown(await updateConnector(this.#deps, context, id, patch));
  }

  @Mutation(() => Connector, { description: 'Opens a connector; one in ERROR is tried at once.' })
  async enableConnector(
    @Arg('connector_id', () => String, CONNECTOR_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<Connector> {
    return this.#shown(await enableConnector(this.#deps, context, id));
  }

  @Mutation(() => Connector, { description: 'Closes a connector; what has come in is finished.' })
  async disableConnector(
    @Arg('connector_id', () => String, CONNECTOR_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<Connector> {
    return this.#shown(await disableConnector(this.#deps, context, id));
  }

  @Mutation(() => Connector, { description: 'Deletes a connector.' })
  async deleteConnector(
    @Arg('connector_id', () => String, CONNECTOR_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<Connector> {
    return this.#shown(await deleteConnector(this.#deps, context, id));
  }

  @Mutation(() => ConnectorTestResult, { description: 'Tries a connector without taking a message.' })
  testConnector(
    @Arg('connector_id', () => String, CONNECTOR_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<ConnectorTestResult> {
    return testConnector(this.#deps, context, id);
  }

  @Mutation(() => FhirReceipt, { description: 'Takes what a system posted to a connector; its bytes are stored.' })
  async receiveFhir(
    @Arg('connector_id', () => String, CONNECTOR_ID) id: string,
    @Arg('raw_sha256', () => String, { description: 'SHA-256 of the stored body.' }) rawSha256: string,
    @Ctx() context: RequestContext,
  ): Promise<FhirReceipt> {
    const { answer, refusal } = await receiveFhir(this.#deps, context, id, rawSha256);
    return {
      accepted: answer?.accepted ?? 0,
      duplicated: answer?.duplicated ?? 0,
      rejected: answer?.rejected ?? 0,
      ingest_id: answer?.ingest_id ?? null,
      content: answer?.acknowledgement?.content ?? null,
      refusal_code: refusal?.code ?? null,
      refusal_message: refusal?.message ?? null,
    };
  }

  async #shown(connector: ConnectorRow): Promise<Connector> {
    return shown(await viewOf(this.#deps, connector));
  }
}
