import { urlJudge } from '../../../shared/http/safe-connect/judge-url.js';
import { safeReader } from '../../../shared/http/safe-connect/safe-reader.js';
import { hl7v2Adapter } from '../formats/index.js';
import { rawIngestDeps } from '../ingest/index.js';
import type { LedgerArea, LedgerParts, WireArea } from '../parts.js';
import { openDropFolder } from './adapters/drop-folder.js';
import { resourcesIn } from './adapters/fhir-resources.js';
import { openMllpListener, tlsFaultOf } from './adapters/mllp-listener.js';
import { CONNECTOR_MACHINE } from './domain/states.js';
import { CONNECTORS, connectorStore, mongoConnectorRuns } from './model.js';
import { ConnectorResolver, connectorReferences } from './resolver.js';
import { FeedConnectorsResolver } from './resolvers/feed-connectors.js';
import { runDrop } from './run-drop-folder.js';
import { FlightBudget, runMllp } from './run-mllp.js';
import { runPoll } from './run-poll.js';
import {
  DropFolderConnectorConfig,
  FhirEndpointConnectorConfig,
  FhirPollConnectorConfig,
  MllpConnectorConfig,
} from './schema/config.js';
import { CONNECTOR_ROW } from './schema/connector.js';
import { ConnectorSupervisor } from './supervisor.js';

/** Limit for waiting messages in one process, over all listeners. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const OWNER_BYTES = 9;

const storesOf = ({ deps: { database }, outbox }: LedgerParts) => ({
  connectors: connectorStore({ db: database.db, outbox }, CONNECTOR_ROW),
  runs: mongoConnectorRuns(database.db),
});

const wire: WireArea = (parts) => {
  const { deps, contract } = parts;
  const { connectors: limits, limits: bodyLimits } = deps.config;
  const { connectors, runs } = storesOf(parts);
  const bodies = {
    ...rawIngestDeps(parts),
    limits: bodyLimits,
    maxBodyBytes: bodyLimits.rawBytes,
  };
  const judgeUrl = urlJudge(limits.targets);
  const polls = { ...deps, bodies, judgeUrl, resourcesIn, fetch: safeReader({ policy: limits.targets }) };
  const drops = { ...deps, bodies, openDropFolder, limits };
  const mllp = {
    messages: { ...bodies, messageAdapter: hl7v2Adapter },
    openListener: openMllpListener,
    limits,
    budget: new FlightBudget(MAX_WAITING_BYTES),
  };
  const supervisor = new ConnectorSupervisor({
    ...deps,
    connectors,
    runs,
    owner: Buffer.from(deps.randomness.fill(new Uint8Array(OWNER_BYTES))).toString('base64url'),
    run: ({ config, ...context }) => {
      if (config.transport === 'MLLP') return runMllp(mllp, { ...context, config });
      if (config.transport === 'DROP_FOLDER') return runDrop(drops, { ...context, config });
      if (config.transport === 'POLL') return runPoll(polls, { ...context, config });
      throw new Error('an endpoint needs no runner');
    },
  });
  const services = {
    ...deps,
    connectors,
    runs,
    bodies,
    drops,
    polls,
    openListener: openMllpListener,
    settings: { ...deps, contract, limits, judgeUrl, tlsFault: tlsFaultOf },
    wake: () => supervisor.wake(),
  };
  return {
    resolvers: [new ConnectorResolver(services), new FeedConnectorsResolver(services)],
    background: () => supervisor.start(),
  };
};

/** Connectors: their routes, and the runners in worker processes. */
export const connectorsArea: LedgerArea = {
  resolvers: [ConnectorResolver, FeedConnectorsResolver],
  references: { Connector: (parts) => connectorReferences(storesOf(parts)) },
  contractTypes: [MllpConnectorConfig, DropFolderConnectorConfig, FhirEndpointConnectorConfig, FhirPollConnectorConfig],
  stateMachines: [CONNECTOR_MACHINE],
  collectionsWithEffects: [CONNECTORS.name],
  wire,
};
