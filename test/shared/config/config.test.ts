import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { configFrom } from '../../../shared/config/config.js';
import { CONFIG_TABLE, ConfigError, parseEnvironment } from '../../../shared/config/schema.js';

const MASTER_KEY = '0123456789abcdef'.repeat(4);

function refusalOf(env: Record<string, string>): string {
  try {
    parseEnvironment(env);
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
      wormStrict: false,
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
      logLevel: 'silent',
      limits: { batchEvents: 500 },
    });
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
  ])('for %s=%s, and names the variable', (name, value) => {
    expect(refusalOf({ [name]: value })).toContain(`\n  ${name}: `);
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
