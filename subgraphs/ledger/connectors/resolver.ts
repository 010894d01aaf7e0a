import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { referencesTo } from '../../../shared/graph/edges/references.js';
import { mapPage, type Page } from '../../../shared/pagination/cursor.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { showing } from '../../../shared/records/shown.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { createConnector, deleteConnector, disableConnector, enableConnector, updateConnector } from './change.js';
import { CONNECTOR_MACHINE } from './domain/states.js';
import { type ConnectorRow, NO_COUNTS } from './ports.js';
import {
  type ConnectorView,
  type EndpointDeps,
  getConnector,
  listConnectors,
  namedConnectors,
  type ReadConnectorDeps,
  receiveFhir,
  viewOf,
} from './read.js';
import {
  Connector,
  ConnectorFilter,
  ConnectorInput,
  ConnectorPage,
  ConnectorPatch,
  ConnectorTestResult,
  FhirReceipt,
} from './schema/connector.js';
import { type ConnectorTestDeps, testConnector } from './test-connection.js';

type ConnectorResolverDeps = EndpointDeps & ConnectorTestDeps;

const timeOrNull = (at: Date | null | undefined): string | null => (at ? isoTime(at.getTime()) : null);

export const shownConnector = showing(Connector, ({ run, status, wrapped_secrets }: ConnectorView) => ({
  secrets: Object.keys(wrapped_secrets).sort(),
  allowed_actions: allowedActions(CONNECTOR_MACHINE, status),
  listening: run?.listening ?? null,
  last_message_at: timeOrNull(run?.last_message_at),
  last_error: run?.last_error ? { ...run.last_error, at: isoTime(run.last_error.at.getTime()) } : null,
  retry_at: status === 'ERROR' ? timeOrNull(run?.retry_at) : null,
  counters: run?.counters ?? NO_COUNTS,
}));

/** Resolves references to connectors under the scope of `connector`. */
export const connectorReferences = (deps: ReadConnectorDeps) =>
  referencesTo('connector_id', 'connector', async (context, ids) =>
    (await namedConnectors(deps, context, ids)).map(shownConnector),
  );

const CONNECTOR_ID = { description: 'Identifier of the connector.' };

@Resolver()
export class ConnectorResolver {
  readonly #deps: ConnectorResolverDeps;

  constructor(deps: ConnectorResolverDeps) {
    this.#deps = deps;
  }

  @Query(() => ConnectorPage, { description: 'Lists the connectors of the tenant.' })
  async connectors(
    @Args(() => ConnectorFilter) filter: ConnectorFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<Connector>> {
    return mapPage(await listConnectors(this.#deps, context, listQueryOf(filter)), shownConnector);
  }

  @Query(() => Connector, { nullable: true, description: 'Returns a connector with its run.' })
  async connector(
    @Arg('connector_id', () => String, CONNECTOR_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<Connector | null> {
    const found = await getConnector(this.#deps, context, id);
    return found && shownConnector(found);
  }

  @Mutation(() => Connector, { description: 'Creates a connector, DISABLED.' })
  async createConnector(
    @Arg('input', () => ConnectorInput) input: ConnectorInput,
    @Ctx() context: RequestContext,
  ): Promise<Connector> {
    return this.#shown(await createConnector(this.#deps, context, ConnectorInput.complete(input)));
  }

  @Mutation(() => Connector, { description: 'Changes a connector; a running one restarts.' })
  async updateConnector(
    @Arg('connector_id', () => String, CONNECTOR_ID) id: string,
    @Arg('input', () => ConnectorPatch) input: ConnectorPatch,
    @Ctx() context: RequestContext,
  ): Promise<Connector> {
    const patch = { revision: input.revision, members: ConnectorPatch.given(input) };
    return this.#shown(await updateConnector(this.#deps, context, id, patch));
  }

  @Mutation(() => Connector, { description: 'Enables a connector; one in ERROR is tried at once.' })
  async enableConnector(
    @Arg('connector_id', () => String, CONNECTOR_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<Connector> {
    return this.#shown(await enableConnector(this.#deps, context, id));
  }

  @Mutation(() => Connector, { description: 'Disables a connector after it finished the messages that it received.' })
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

  @Mutation(() => ConnectorTestResult, { description: 'Tests a connector without taking a message.' })
  testConnector(
    @Arg('connector_id', () => String, CONNECTOR_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<ConnectorTestResult> {
    return testConnector(this.#deps, context, id);
  }

  @Mutation(() => FhirReceipt, { description: 'Receives a stored FHIR body that a system posted to a connector.' })
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
    return shownConnector(await viewOf(this.#deps, connector));
  }
}
