import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { isJsonObject, parseStrictJson } from '../../../shared/json/strict-json.js';
import type { ConnectorDeps } from './change.js';
import { openConfig } from './config.js';
import type { FhirPollConfig, MllpConfig } from './domain/kinds.js';
import { ConnectorFailure, type ConnectorRow, type OpenMessageListener } from './ports.js';
import { viewOf } from './read.js';
import { type DropDeps, dropFolderOf } from './run-drop-folder.js';
import { portsOf } from './run-mllp.js';
import { askFhir, type PollDeps } from './run-poll.js';

export interface ConnectorTestDeps extends ConnectorDeps {
  readonly drops: Pick<DropDeps, 'openDropFolder' | 'limits'>;
  readonly polls: Pick<PollDeps, 'fetch' | 'judgeUrl'>;
  readonly openListener: OpenMessageListener;
}

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Checks whether a connector could work from this process, without taking a message. @throws NOT_FOUND */
export async function testConnector(deps: ConnectorTestDeps, context: RequestContext, connectorId: string) {
  const tenantId = authorise(context, 'connectors:write');
  const connector = isIdOf('connector', connectorId)
    ? await deps.connectors.forTenant(tenantId).get(connectorId)
    : null;
  if (!connector) throw problem('NOT_FOUND');
  const check = await tried(nameOf(connector.config['transport']), () => detailOf(deps, connector));
  const tested_at = isoTime(deps.clock.nowMs());
  return { connector_id: connector.connector_id, ok: check.ok, checks: [check], tested_at };
}

const nameOf = (transport: unknown): string =>
  ({ MLLP: 'listen', DROP_FOLDER: 'folder', POLL: 'server' })[String(transport)] ?? 'endpoint';

async function tried(name: string, attempt: () => Promise<string>): Promise<Check> {
  try {
    return { name, ok: true, detail: await attempt() };
  } catch (error) {
    if (!(error instanceof ConnectorFailure)) throw error;
    return { name, ok: false, detail: `${error.code}: ${error.message}` };
  }
}

async function detailOf(deps: ConnectorTestDeps, connector: ConnectorRow): Promise<string> {
  const { whole } = openConfig(deps.masterKey, connector);
  if (whole.transport === 'MLLP') return listenable(deps, connector, whole);
  if (whole.transport === 'POLL') return asked(deps, whole);
  if (whole.transport === 'ENDPOINT') return `Send to POST /v1/connectors/${connector.connector_id}/fhir.`;
  const folder = await dropFolderOf(deps.drops, connector.tenant_id, whole);
  return `The folder is usable; ${(await folder.list()).length} files wait in it.`;
}

/** A running listener needs no check. */
async function listenable(deps: ConnectorTestDeps, connector: ConnectorRow, config: MllpConfig): Promise<string> {
  const { run } = await viewOf(deps, connector);
  if (run?.listening) return `It listens on ${run.listening.host}:${run.listening.port}.`;
  const listener = await deps.openListener(
    {
      host: deps.settings.limits.mllpHost,
      ports: portsOf(deps.settings.limits, config.port, run?.last_port ?? null),
      maxFrameBytes: 0,
      maxConnections: 1,
      maxInFlight: 1,
      idleMs: 1,
      allowedAddresses: [],
      tls: null,
    },
    { frame: (frame) => frame.drop(), refused: () => undefined, failed: () => undefined },
  );
  const { host, port } = listener.listening;
  listener.quiesce();
  await listener.close();
  return `The service can listen on ${host}:${port}.`;
}

async function asked(deps: ConnectorTestDeps, config: FhirPollConfig): Promise<string> {
  const url = `${config.base_url.replace(/\/+$/, '')}/metadata`;
  const body = await askFhir(deps.polls, config, url, new AbortController().signal);
  if (!isCapabilities(body)) throw new ConnectorFailure('NOT_FHIR', 'The server returned no CapabilityStatement.');
  return 'The server returned its CapabilityStatement.';
}

function isCapabilities(body: Buffer): boolean {
  try {
    const statement = parseStrictJson(body);
    return isJsonObject(statement) && statement['resourceType'] === 'CapabilityStatement';
  } catch {
    return false;
  }
}
