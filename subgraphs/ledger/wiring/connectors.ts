import { urlJudge } from '../../../shared/http/safe-connect/judge-url.js';
import { safeReader } from '../../../shared/http/safe-connect/safe-reader.js';
import { defaultAdapterLimits } from '../adapters/adapter.js';
import { openDropFolder } from '../adapters/connectors/drop-folder.js';
import { resourcesIn } from '../adapters/connectors/fhir-resources.js';
import { openMllpListener, tlsFaultOf } from '../adapters/connectors/mllp-listener.js';
import { hl7v2Adapter } from '../adapters/hl7v2/hl7v2-adapter.js';
import { adapterFor } from '../adapters/registry.js';
import { mongoAcknowledgementNumbers } from '../model/acknowledgement-number-model.js';
import { mongoConnectorStore } from '../model/connector-model.js';
import { mongoConnectorRuns } from '../model/connector-run-model.js';
import { mongoIngestStore } from '../model/ingest-model.js';
import { ConnectorResolver } from '../resolvers/connector-resolver.js';
import { runDrop } from '../service/connector-drop.js';
import { FlightBudget, runMllp } from '../service/connector-mllp.js';
import { runPoll } from '../service/connector-poll.js';
import type { RunnerContext } from '../service/connector-runner.js';
import { ConnectorSupervisor } from '../service/connector-supervisor.js';
import { controlNumberDeps } from './control-numbers.js';
import type { WireArea } from './parts.js';

/** Messages that wait in one process, over all of its listeners. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const OWNER_BYTES = 9;

/** Connectors: their routes, and in the processes whose role it is those who run them. */
export const wireConnectors: WireArea = (parts) => {
  const { deps, contexts, ingest, openExceptions, outbox, contract } = parts;
  const { connectors: limits, limits: bodyLimits } = deps.config;
  const { db } = deps.database;
  const connectors = mongoConnectorStore(db, outbox);
  const runs = mongoConnectorRuns(db);
  const bodies = {
    ...ingest,
    ...deps,
    ...controlNumberDeps(parts),
    limits: bodyLimits,
    contexts,
    openExceptions,
    ingests: mongoIngestStore(db),
    acknowledgementNumbers: mongoAcknowledgementNumbers(db),
    adapterFor,
    adapterLimits: defaultAdapterLimits,
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
    runners: {
      MLLP: (context) => runMllp(mllp, context as RunnerContext<never>),
      DROP_FOLDER: (context) => runDrop(drops, context as RunnerContext<never>),
      POLL: (context) => runPoll(polls, context as RunnerContext<never>),
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
    resolvers: [[ConnectorResolver, new ConnectorResolver(services)]],
    background: () => supervisor.start(),
  };
};
