import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { configFrom } from '../../../shared/config/config.js';
import { ConfigError } from '../../../shared/config/entry.js';
import { CONFIG_TABLE } from '../../../shared/config/schema.js';

const OIDC = {
  SERVICE_OIDC_ISSUER: 'https://login.example',
  SERVICE_OIDC_CLIENT_ID: 'evidence',
  SERVICE_OIDC_REDIRECT_URL: 'https://eas.example/console/sign-in/oidc/callback',
  SERVICE_OIDC_TENANT: 'acme',
} as const;
const MASTER_KEY = '0123456789abcdef'.repeat(4);

function refusalOf(env: Record<string, string>): string {
  try {
    configFrom(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('the environment was taken');
}

describe('the configuration', () => {
  it('of an empty environment is the documented default', () => {
    expect(configFrom({})).toEqual({
      port: 8080,
      host: '127.0.0.1',
      mongodbUri: null,
      mongodBinary: null,
      production: false,
      dataDir: './.data',
      origin: 'eas.localhost',
      adminApiKey: null,
      masterKeyHex: null,
      dataKeysFile: resolve('.data-signer/data-keys.json'),
      contentKeysFile: resolve('.data-signer/content-keys.json'),
      isContentKeysFileGiven: false,
      isEncryptedAtRest: true,
      signer: { dir: resolve('.data-signer'), socket: null, start: true },
      mode: 'all',
      internalSecret: null,
      subgraphUrls: new Map(),
      subgraphTimeoutMs: 60_000,
      rateLimitPerMinute: 6_000,
      trustedProxies: [],
      failedLoginsPerMinute: 600,
      logLevel: 'info',
      limits: {
        envelopeBytes: 256 * 1024,
        batchEvents: 1_000,
        batchBytes: 16 * 1024 * 1024,
        rawBytes: 1024 ** 3,
        rawJsonBytes: 32 * 1024 * 1024,
        documentBytes: 1024 ** 3,
      },
      bundles: { leaseMs: 30_000, maxEvents: 1_000_000, spoolDir: null },
      redaction: {
        maxDocumentBytes: 64 * 1024 * 1024,
        maxTextBytes: 32 * 1024 * 1024,
        memoryMb: 512,
        needsTwoPeople: true,
        timeoutMs: 120_000,
      },
      retention: { minimumYears: 6 },
      retentionUri: null,
      rotatorUri: null,
      matching: { possible: 6, probable: 14 },
      notifier: {
        codeInResponse: false,
        kind: 'log',
        perAddressPerHour: 300,
        perMemberPerHour: 5,
        smtp: null,
        webhook: null,
      },
      scan: { clamav: null, clamavTimeoutMs: 120_000, inline: false },
      timestamps: { targets: { allowHttp: false, allowedCidrs: [] }, url: null, roots: [] },
      wormFolder: null,
      wormBucket: null,
      wormStrict: false,
      wormAcknowledge: { by: 'store', maxLagMs: 30_000 },
      worm: { segmentBytes: 1024 ** 3, segmentRecords: 1_000_000 },
      webhooks: { allowHttp: false, allowedCidrs: [] },
      linking: { remittanceGraceHours: 24 },
      connectors: {
        dropDir: null,
        mllpHost: '127.0.0.1',
        mllpPorts: { from: 2_575, to: 2_674 },
        targets: { allowHttp: false, allowedCidrs: [] },
        perTenant: 50,
      },
      checkpoints: { dir: null, maps: true, quorum: 0, witnesses: [] },
      oidc: null,
      otlp: null,
    });
  });

  it('opens webhook receivers only by setting, and rejects an invalid address block', () => {
    const opened = { SERVICE_WEBHOOK_ALLOW_HTTP: 'true', SERVICE_WEBHOOK_ALLOW_CIDRS: '10.0.0.0/8, fd00:1::/32' };
    expect(configFrom(opened).webhooks).toEqual({ allowHttp: true, allowedCidrs: ['10.0.0.0/8', 'fd00:1::/32'] });
    expect(() => configFrom({ SERVICE_WEBHOOK_ALLOW_CIDRS: '10.0.0.0/8,everywhere' })).toThrow(/address blocks/);
  });

  it('uses the given values', () => {
    const config = configFrom({
      PORT: '0',
      HOST: '0.0.0.0',
      MONGODB_URI: 'mongodb://db.example:27017/eas?replicaSet=rs0',
      NODE_ENV: 'production',
      SERVICE_DATA_DIR: '/var/lib/eas',
      SERVICE_ORIGIN: 'eas.example',
      SERVICE_ADMIN_API_KEY: 'k'.repeat(32),
      SERVICE_MASTER_KEY: MASTER_KEY,
      SERVICE_ENCRYPT_AT_REST: 'false',
      SERVICE_DATA_KEYS_FILE: '/run/keys/data-keys.json',
      SERVICE_CONTENT_KEYS_FILE: '/run/keys/content-keys.json',
      SERVICE_LOG_LEVEL: 'silent',
      SERVICE_MAX_BATCH_EVENTS: '500',
    });
    expect(config).toMatchObject({
      port: 0,
      host: '0.0.0.0',
      mongodbUri: 'mongodb://db.example:27017/eas?replicaSet=rs0',
      production: true,
      dataDir: '/var/lib/eas',
      origin: 'eas.example',
      adminApiKey: 'k'.repeat(32),
      masterKeyHex: MASTER_KEY,
      isEncryptedAtRest: false,
      dataKeysFile: '/run/keys/data-keys.json',
      contentKeysFile: '/run/keys/content-keys.json',
      isContentKeysFileGiven: true,
      logLevel: 'silent',
      limits: { batchEvents: 500 },
    });
  });

  it('reads a sign-in provider, with the roles of its groups', () => {
    expect(
      configFrom({
        ...OIDC,
        SERVICE_OIDC_ROLES_CLAIM: 'groups',
        SERVICE_OIDC_ROLES: 'the analysts=analyst, it=auditor',
      }).oidc,
    ).toEqual({
      issuer: 'https://login.example',
      clientId: 'evidence',
      clientSecret: null,
      redirectUrl: 'https://eas.example/console/sign-in/oidc/callback',
      tenant: { id: 'acme' },
      roles: {
        claim: 'groups',
        byValue: new Map([
          ['the analysts', 'analyst'],
          ['it', 'auditor'],
        ]),
      },
      scopes: 'openid email profile',
    });
  });

  it('names the bucket of the write-once bytes only together with its driver', () => {
    const bucket = { SERVICE_WORM_DRIVER: 's3', SERVICE_WORM_S3_BUCKET: 'eas-worm' };
    expect(configFrom(bucket).wormBucket).toEqual({
      bucket: 'eas-worm',
      prefix: '',
      endpoint: null,
      region: null,
      pathStyle: false,
      mode: 'COMPLIANCE',
      retainDays: 2_192,
      gatherMs: 50,
    });
    const all = {
      ...bucket,
      SERVICE_WORM_S3_PREFIX: 'audit/eas/',
      SERVICE_WORM_S3_ENDPOINT: 'https://s3.example',
      SERVICE_WORM_S3_REGION: 'eu-central-1',
      SERVICE_WORM_S3_PATH_STYLE: 'true',
      SERVICE_WORM_S3_MODE: 'GOVERNANCE',
      SERVICE_WORM_S3_RETAIN_DAYS: '3653',
      SERVICE_WORM_S3_GATHER_MS: '0',
    };
    expect(configFrom(all).wormBucket).toEqual({
      bucket: 'eas-worm',
      prefix: 'audit/eas/',
      endpoint: 'https://s3.example',
      region: 'eu-central-1',
      pathStyle: true,
      mode: 'GOVERNANCE',
      retainDays: 3_653,
      gatherMs: 0,
    });
    expect(() => configFrom({ SERVICE_WORM_DRIVER: 's3' })).toThrow('s3 needs SERVICE_WORM_S3_BUCKET');
    expect(() => configFrom({ SERVICE_WORM_S3_BUCKET: 'eas-worm' })).toThrow('needs SERVICE_WORM_DRIVER=s3');
  });

  it('sends telemetry only to a given collector', () => {
    const given = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc, x-tenant=a',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_METRIC_EXPORT_INTERVAL: '15000',
    };
    expect(configFrom(given).otlp).toEqual({
      endpoint: 'https://collector.example/otlp',
      headers: { authorization: 'Basic abc', 'x-tenant': 'a' },
      serviceName: 'evidentiary-audit-service',
      sampleRatio: 0.25,
      metricIntervalMs: 15_000,
    });
    expect(configFrom({ OTEL_SERVICE_NAME: 'x' }).otlp).toBeNull();
    expect(refusalOf({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toContain('OTEL_EXPORTER_OTLP_PROTOCOL: ');
    expect(refusalOf({ OTEL_EXPORTER_OTLP_HEADERS: 'no pair' })).toContain('OTEL_EXPORTER_OTLP_HEADERS: ');
  });

  it('reads an empty value as absent, as compose files write it', () => {
    expect(configFrom({ PORT: '', MONGODB_URI: '', SERVICE_MASTER_KEY: '' })).toEqual(configFrom({}));
  });

  it('ignores variables of other programs', () => {
    expect(configFrom({ PATH: '/bin', HOME: '/root', SERVICES: 'x', service_origin: 'x' })).toEqual(configFrom({}));
  });
});

describe('an invalid configuration stops the start', () => {
  it.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80a'],
    ['PORT', '8 0'],
    ['PORT', '0x50'],
    ['PORT', '1e3'],
    ['MONGODB_URI', 'postgres://db'],
    ['NODE_ENV', 'prod'],
    ['SERVICE_ORIGIN', 'Eas.Example'],
    ['SERVICE_ORIGIN', 'https://eas.example'],
    ['SERVICE_ORIGIN', 'eas/example'],
    ['SERVICE_ADMIN_API_KEY', 'k'.repeat(31)],
    ['SERVICE_MASTER_KEY', MASTER_KEY.slice(1)],
    ['SERVICE_MASTER_KEY', MASTER_KEY.toUpperCase()],
    ['SERVICE_LOG_LEVEL', 'verbose'],
    ['SERVICE_MODE', 'none'],
    ['SERVICE_MAX_BATCH_EVENTS', '0'],
    ['SERVICE_WORM_SEGMENT_RECORDS', '9'],
    ['SERVICE_CONTENT_SCAN_INLINE', 'yes'],
    ['SERVICE_WORM_S3_BUCKET', 'Not A Bucket'],
    ['SERVICE_WORM_S3_PREFIX', 'no-slash'],
    ['SERVICE_WORM_S3_MODE', 'none'],
  ])('for %s=%s, and names the variable', (name, value) => {
    expect(refusalOf({ [name]: value })).toContain(`\n  ${name}: `);
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['without its client', { SERVICE_OIDC_CLIENT_ID: '' }, 'SERVICE_OIDC_ISSUER'],
    ['over http', { SERVICE_OIDC_ISSUER: 'http://login.example' }, 'SERVICE_OIDC_ISSUER'],
    [
      'with a redirect over http',
      { SERVICE_OIDC_REDIRECT_URL: 'http://eas.example/console/sign-in/oidc/callback' },
      'SERVICE_OIDC_REDIRECT_URL',
    ],
    [
      'with another redirect',
      { SERVICE_OIDC_REDIRECT_URL: 'https://eas.example/callback' },
      'SERVICE_OIDC_REDIRECT_URL',
    ],
    ['without a tenant', { SERVICE_OIDC_TENANT: '' }, 'SERVICE_OIDC_ISSUER'],
    ['with two ways to a tenant', { SERVICE_OIDC_TENANT_CLAIM: 'tenant' }, 'SERVICE_OIDC_ISSUER'],
    ['with groups and no roles', { SERVICE_OIDC_ROLES_CLAIM: 'groups' }, 'SERVICE_OIDC_ROLES_CLAIM'],
    [
      'with misspelt roles',
      { SERVICE_OIDC_ROLES_CLAIM: 'groups', SERVICE_OIDC_ROLES: 'analyst' },
      'SERVICE_OIDC_ROLES',
    ],
  ])('for a sign-in provider %s', (_, change, name) => {
    expect(refusalOf({ ...OIDC, ...change })).toContain(`\n  ${name}: `);
  });

  it('for an unknown setting, which may be misspelt', () => {
    expect(refusalOf({ SERVICE_ORIGN: 'eas.example' })).toContain('SERVICE_ORIGN: not a known setting');
    expect(refusalOf({ SERVICE_toString: 'x' })).toContain('SERVICE_toString: not a known setting');
  });

  it('once for all faults', () => {
    const message = refusalOf({ PORT: 'x', SERVICE_LOG_LEVEL: 'y', SERVICE_NONE: 'z' });
    for (const name of ['PORT', 'SERVICE_LOG_LEVEL', 'SERVICE_NONE']) expect(message).toContain(`${name}: `);
  });

  it('without repeating a value, which may be a secret', () => {
    const secrets = { SERVICE_ADMIN_API_KEY: 'hunter2', SERVICE_MASTER_KEY: 'c0ffee', MONGODB_URI: 'mongo://u:pw@h' };
    const message = refusalOf(secrets);
    for (const value of Object.values(secrets)) expect(message).not.toContain(value);
  });
});

describe('the table of settings', () => {
  it.each(Object.entries(CONFIG_TABLE))(
    '%s has a description and a default that its own schema accepts',
    (_name, entry) => {
      if (entry.default !== null) expect(entry.schema.safeParse(entry.default).success).toBe(true);
      expect(entry.meaning).toMatch(/^[A-Z].*\.$/);
    },
  );
});
