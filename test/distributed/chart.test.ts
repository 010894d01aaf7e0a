import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { repositoryFile } from '../../app/repository.js';
import { EXISTING_SUBGRAPHS } from '../../app/subgraph-builders.js';
import { configFrom } from '../../shared/config/config.js';
import type { ConfigEntry } from '../../shared/config/entry.js';
import { CONFIG_TABLE } from '../../shared/config/schema.js';
import { withSecretFiles } from '../../shared/config/secret-files.js';
import { canRun } from '../support/commands.js';
import { describeUnless, itUnless, lackOf } from '../support/needs.js';

const CHART = repositoryFile('docker/chart');
const HELM = process.env['HELM'] ?? 'helm';
const noHelm = lackOf(canRun(HELM, 'version'), 'helm');
const noSchemas = noHelm ?? lackOf(canRun('kubernetes-validate', '--version'), 'kubernetes-validate');

interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly startupProbe?: object;
  readonly readinessProbe?: { readonly httpGet: { readonly path: string; readonly port: number } };
  readonly resources?: { readonly limits?: object };
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: {
    readonly template?: { readonly spec: { readonly containers: readonly Container[] } };
    readonly selector?: object;
    readonly podSelector?: object;
    readonly policyTypes?: readonly string[];
    readonly ingress?: readonly object[];
  };
}

const SECRETS: Readonly<Record<string, string>> = {
  mongodb_uri: 'mongodb://eas:x@db.example:27017/eas?replicaSet=rs0',
  mongodb_retention_uri: 'mongodb://eas-retention:x@db.example:27017/eas?replicaSet=rs0',
  mongodb_rotator_uri: 'mongodb://eas-rotator:x@db.example:27017/eas?replicaSet=rs0',
  master_key: '5e'.repeat(32),
  internal_secret: 's'.repeat(64),
  admin_api_key: 'k'.repeat(64),
};

function rendered(...set: readonly string[]): { readonly text: string; readonly errors: string } {
  const values = ['origin=plan.example', ...set].flatMap((value) => ['--set', value]);
  const { stdout, stderr } = spawnSync(HELM, ['template', 'eas', CHART, '--kube-version', '1.31.0', ...values], {
    encoding: 'utf8',
  });
  return { text: stdout, errors: stderr };
}

function textOf(...set: readonly string[]): string {
  const { text, errors } = rendered(...set);
  if (text === '') throw new Error(`the chart was not rendered: ${errors}`);
  return text;
}

const manifests = (...set: readonly string[]): readonly Manifest[] =>
  parseAllDocuments(textOf(...set)).map((document) => document.toJS() as Manifest);

const containersOf = ({ spec }: Manifest): readonly Container[] => spec?.template?.spec.containers ?? [];

describe('the values of the chart', () => {
  const schema: unknown = JSON.parse(readFileSync(`${CHART}/values.schema.json`, 'utf8'));
  const check = new Ajv({ strict: false }).compile(schema as object);
  const defaults = parse(readFileSync(`${CHART}/values.yaml`, 'utf8')) as Record<string, unknown>;

  it('fit their schema once the deployment has a name', () => {
    expect([check({ ...defaults, origin: 'plan.example' }), check.errors]).toEqual([true, null]);
    expect(check(defaults)).toBe(false);
  });

  it.each([
    ['an unknown role', { roles: { ...(defaults['roles'] as object), nobody: { replicas: 1, maxReplicas: 1 } } }],
    ['a setting of another program', { settings: { PATH: '/bin' } }],
    ['a setting that is no text', { settings: { SERVICE_WORM_STRICT: true } }],
    ['an ingress without TLS', { ingress: { enabled: true, host: 'eas.example', tlsSecretName: '' } }],
  ])('refuse %s', (_, over) => {
    expect(check({ ...defaults, origin: 'plan.example', ...over })).toBe(false);
  });
});

describeUnless(noHelm)('the chart', () => {
  it('runs every role, and the signer with the roles that ask it', () => {
    const all = manifests();
    const modesOf = (kind: string): string[] =>
      all
        .filter((one) => one.kind === kind)
        .flatMap(containersOf)
        .flatMap(({ env = [] }) => env.filter(({ name }) => name === 'SERVICE_MODE').map(({ value }) => value));
    expect(modesOf('StatefulSet').sort()).toEqual(['admin', 'signer', 'worker']);
    expect([...modesOf('Deployment'), 'admin'].sort()).toEqual([...EXISTING_SUBGRAPHS, 'facade', 'gateway'].sort());
    for (const { kind, metadata } of all.filter((one) => one.kind === 'Deployment'))
      for (const beside of ['Service', 'PodDisruptionBudget', 'HorizontalPodAutoscaler'])
        expect([kind, all.some((one) => one.kind === beside && one.metadata.name === metadata.name)]).toEqual([
          kind,
          true,
        ]);
  });

  it('configures every process with known and valid settings, and the addresses of its services', () => {
    const all = manifests();
    const services = new Set(all.filter(({ kind }) => kind === 'Service').map(({ metadata }) => metadata.name));
    for (const { env = [], name } of all.flatMap(containersOf)) {
      const settings = Object.fromEntries(env.map((each) => [each.name, each.value]));
      const config = configFrom(withSecretFiles(settings, (path) => SECRETS[path.replace('/secrets/', '')] ?? ''));
      if (config.mode === 'signer') continue;
      expect([name, [...config.subgraphUrls.keys()].sort()]).toEqual([name, [...EXISTING_SUBGRAPHS].sort()]);
      for (const [url = ''] of config.subgraphUrls.values()) expect(services).toContain(new URL(url).hostname);
    }
  });

  it('holds no secret, and gives the keys to the signer alone', () => {
    const secret = Object.entries<ConfigEntry>(CONFIG_TABLE).flatMap(([name, entry]) => (entry.secret ? [name] : []));
    const all = manifests();
    expect(all.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    for (const { name, env = [], volumeMounts = [] } of all.flatMap(containersOf)) {
      expect(env.filter((each) => secret.includes(each.name))).toEqual([]);
      expect([name, volumeMounts.some((mount) => mount.name === 'keys')]).toEqual([name, name === 'signer']);
    }
  });

  it('runs every process without privileges, with probes and a bound of its memory', () => {
    for (const container of manifests().flatMap(containersOf)) {
      expect(container.securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        runAsNonRoot: true,
        capabilities: { drop: ['ALL'] },
      });
      if (container.name === 'prepare') continue;
      expect(container.startupProbe).toBeDefined();
      if (container.name === 'signer') continue;
      expect(container.readinessProbe?.httpGet.path).toBe('/v1/healthz/ready');
      expect(container.resources?.limits).toBeDefined();
    }
  });

  it('closes its pods to others, but for facades and the gateway', () => {
    const policies = manifests().filter(({ kind }) => kind === 'NetworkPolicy');
    expect(policies.map(({ spec }) => spec?.policyTypes)).toEqual([['Ingress', 'Egress'], ['Ingress']]);
    const [inside, clients] = policies.map(({ spec }) => spec);
    expect(inside?.podSelector).not.toHaveProperty('matchExpressions');
    expect(inside?.ingress).toMatchObject([{ from: [{ podSelector: inside?.podSelector }] }]);
    expect(clients?.podSelector).toMatchObject({
      matchExpressions: [{ key: 'app.kubernetes.io/component', operator: 'In', values: ['facade', 'gateway'] }],
    });
    expect(manifests('networkPolicy.enabled=false').some(({ kind }) => kind === 'NetworkPolicy')).toBe(false);
  });

  it('is not rendered without the name of the deployment, or with an ingress without TLS', () => {
    expect(rendered('origin=').errors).toContain('origin');
    expect(rendered('ingress.enabled=true', 'ingress.host=eas.example').errors).toContain('tlsSecretName');
    const ingress = ['ingress.enabled=true', 'ingress.host=eas.example', 'ingress.tlsSecretName=tls'];
    expect(manifests(...ingress).some(({ kind }) => kind === 'Ingress')).toBe(true);
  });
});

itUnless(noSchemas)('every manifest of the chart fits the schemas of Kubernetes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'eas-chart-'));
  try {
    const file = join(folder, 'chart.yaml');
    writeFileSync(file, textOf('ingress.enabled=true', 'ingress.host=eas.example', 'ingress.tlsSecretName=tls'));
    const { status, stdout, stderr } = spawnSync('kubernetes-validate', ['--strict', file], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('passed for resource');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
