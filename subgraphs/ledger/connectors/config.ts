import { isCidr } from '../../../shared/auth/cidr.js';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import { type FieldFault, fault, problem } from '../../../shared/errors/problem.js';
import type { Contract } from '../../../shared/graph/validator.js';
import type { UrlVerdict } from '../../../shared/http/safe-connect/judge-url.js';
import type { Randomness } from '../../../shared/ids/ids.js';
import type { JsonObject, JsonValue } from '../../../shared/json/strict-json.js';
import {
  CONFIG_TYPES,
  type ConnectorConfig,
  type ConnectorKind,
  type ConnectorTransport,
  isConfig,
  SECRET_MEMBERS,
  transportsOf,
} from './domain/kinds.js';
import type { ConnectorLimits, ConnectorRow } from './ports.js';

export interface ConnectorConfigDeps {
  readonly contract: Pick<Contract, 'validator'>;
  readonly masterKey: MasterKey;
  readonly limits: ConnectorLimits;
  /** Checks whether a poller may send requests to a URL. */
  readonly judgeUrl: (url: string) => UrlVerdict;
  /** Why a certificate and its key cannot be used together; null if they can. */
  readonly tlsFault: (config: {
    readonly certificate: string;
    readonly key: string;
    readonly ca?: string;
  }) => string | null;
}

type Secrets = Readonly<Record<string, string>>;

interface SplitConfig {
  readonly config: JsonObject;
  readonly secrets: Secrets;
}

/**
 * Merges a configuration: absent members stay, null removes. Separates secrets from visible members. @throws
 * VALIDATION_ERROR with the pointer of each fault below /config.
 */
export function settledConfig(
  deps: ConnectorConfigDeps,
  kind: ConnectorKind,
  given: JsonObject,
  current: SplitConfig = { config: {}, secrets: {} },
): SplitConfig {
  const merged: Record<string, JsonValue> = { ...current.config, ...current.secrets, ...given };
  for (const [name, value] of Object.entries(merged)) if (value === null) delete merged[name];
  const transports = transportsOf(kind);
  merged['transport'] ??= transports[0];
  const transport = transports.find((one) => one === merged['transport']);
  if (transport === undefined) throw refused([transportFault(transports)]);
  const before = current.config['transport'];
  if (before !== undefined && before !== transport) {
    throw refused([
      fault('/config/transport', 'fixed', 'The transport of a connector cannot change. Create another connector.'),
    ]);
  }
  const faults = deps.contract.validator(CONFIG_TYPES[transport])(merged);
  if (faults.length > 0) throw refused(faults.map((one) => ({ ...one, path: `/config${one.path}` })));
  if (!isConfig(merged)) throw refused([transportFault(transports)]);
  const more = faultsOf(deps, merged);
  if (more.length > 0) throw refused(more);
  const isSecret = (name: string): boolean => SECRET_MEMBERS[transport].includes(name);
  const entries = Object.entries(merged);
  return {
    config: Object.fromEntries(entries.filter(([name]) => !isSecret(name))),
    secrets: Object.fromEntries(entries.flatMap(([name, value]) => (isSecret(name) ? [[name, String(value)]] : []))),
  };
}

const refused = (errors: readonly FieldFault[]) => problem('VALIDATION_ERROR', { errors });

const transportFault = (transports: readonly ConnectorTransport[]) =>
  fault('/config/transport', 'enum', `Must be one of ${transports.join(', ')} for this kind.`);

/** Rules that a schema cannot express. */
function faultsOf(deps: ConnectorConfigDeps, config: ConnectorConfig): FieldFault[] {
  const { limits } = deps;
  if (config.transport === 'DROP_FOLDER' && limits.dropDir === null) {
    return [fault('/config/transport', 'not_configured', 'This deployment has no drop folder (SERVICE_DROP_DIR).')];
  }
  if (config.transport === 'POLL') return pollFaults(deps, config);
  return config.transport === 'MLLP' ? listenerFaults(deps, config) : [];
}

function listenerFaults(
  { limits, tlsFault }: ConnectorConfigDeps,
  config: Extract<ConnectorConfig, { transport: 'MLLP' }>,
): FieldFault[] {
  const { from, to } = limits.mllpPorts;
  const faults: FieldFault[] = [];
  if (config.port !== undefined && from > 0 && (config.port < from || config.port > to)) {
    faults.push(fault('/config/port', 'range', `Must be within ${from} and ${to} in this deployment.`));
  }
  (config.allowed_addresses ?? []).forEach((block, at) => {
    if (isCidr(block)) return;
    faults.push(fault(`/config/allowed_addresses/${at}`, 'cidr', 'Must be an address block such as 10.1.0.0/16.'));
  });
  const { tls_certificate: certificate, tls_private_key: key, tls_client_ca: ca } = config;
  if ((certificate === undefined) !== (key === undefined)) {
    const missing = certificate === undefined ? 'tls_certificate' : 'tls_private_key';
    faults.push(fault(`/config/${missing}`, 'required', 'Give both the certificate and its private key, or neither.'));
  } else if (certificate === undefined || key === undefined) {
    if (ca !== undefined) faults.push(fault('/config/tls_certificate', 'required', 'Required for TLS.'));
  } else {
    const why = tlsFault({ certificate, key, ...(ca === undefined ? {} : { ca }) });
    if (why !== null) faults.push(fault('/config/tls_certificate', 'tls', why));
  }
  return faults;
}

function pollFaults(
  { judgeUrl }: ConnectorConfigDeps,
  config: Extract<ConnectorConfig, { transport: 'POLL' }>,
): FieldFault[] {
  const faults: FieldFault[] = [];
  const verdict = judgeUrl(config.base_url);
  if ('refused' in verdict) faults.push(fault('/config/base_url', 'address', verdict.refused));
  else if (/[?#]/.test(config.base_url)) {
    faults.push(fault('/config/base_url', 'address', 'Must not have a query or a fragment.'));
  }
  const needs = { NONE: [], BEARER: ['token'], BASIC: ['username', 'password'] } as const;
  for (const member of needs[config.authorization ?? 'NONE']) {
    if (config[member] === undefined)
      faults.push(fault(`/config/${member}`, 'required', 'Required for authorization.'));
  }
  return faults;
}

const placeOf = ({ tenant_id, connector_id }: Pick<ConnectorRow, 'tenant_id' | 'connector_id'>, member: string) =>
  `connector:${tenant_id}:${connector_id}:${member}`;

/** Encrypts secrets bound to their connector, so that they cannot be moved to another. */
export function wrapSecrets(
  { masterKey, randomness }: { readonly masterKey: MasterKey; readonly randomness: Randomness },
  connector: Pick<ConnectorRow, 'tenant_id' | 'connector_id'>,
  secrets: Secrets,
): Secrets {
  return Object.fromEntries(
    Object.entries(secrets).map(([member, secret]) => [
      member,
      masterKey.wrap(Buffer.from(secret), placeOf(connector, member), randomness).toString('base64'),
    ]),
  );
}

/** The whole configuration including secrets, for the runner. */
export function openConfig(
  masterKey: MasterKey,
  connector: ConnectorRow,
): SplitConfig & { readonly whole: ConnectorConfig } {
  const secrets = Object.fromEntries(
    Object.entries(connector.wrapped_secrets).map(([member, wrapped]) => [
      member,
      masterKey.unwrap(Buffer.from(wrapped, 'base64'), placeOf(connector, member)).toString(),
    ]),
  );
  const { config } = connector;
  const whole = { ...config, ...secrets };
  if (!isConfig(whole)) throw new Error('a stored connector has no transport');
  return { config, secrets, whole };
}
