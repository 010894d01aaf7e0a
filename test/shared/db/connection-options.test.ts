import { describe, expect, it } from '@jest/globals';
import { requireFullStrength } from '../../../shared/db/connection-options.js';
import { connectDatabase } from '../../../shared/db/database.js';
import { plainClient } from '../../../shared/db/plain-client.js';
import { StartRefused } from '../../../shared/errors/start-refused.js';

const HOSTS = 'mongodb://eas:secret@db-1.example,db-2.example:27018';
const WEAK = [
  'readConcernLevel=local',
  'readconcernlevel=available',
  'readPreference=secondaryPreferred',
  'w=1',
  'w=0',
  'journal=false',
  'socketTimeoutMS=0',
  'waitQueueTimeoutMS=0',
];

describe('requireFullStrength', () => {
  it.each([
    HOSTS,
    `${HOSTS}/eas`,
    `${HOSTS}/eas?replicaSet=rs0&tls=true&authSource=admin`,
    `${HOSTS}/?retryWrites=true&w=majority&journal=true&readConcernLevel=majority&readPreference=primary`,
    'mongodb+srv://cluster.example/eas?appName=eas',
    'mongodb://%2Ftmp%2Feas%2Fdb.sock',
  ])('accepts %s', (uri) => {
    expect(() => requireFullStrength(uri)).not.toThrow();
  });

  it.each(WEAK)('rejects %s by name and shows no credentials', (option) => {
    const [name = ''] = option.split('=');
    expect(() => requireFullStrength(`${HOSTS}/eas?replicaSet=rs0&${option}`)).toThrow(StartRefused);
    expect(() => requireFullStrength(`${HOSTS}/eas?${option}`)).toThrow(new RegExp(name));
    expect(() => requireFullStrength(`${HOSTS}/eas?${option}`)).not.toThrow(/secret/);
  });

  it('guards every way to connect', async () => {
    const uri = `${HOSTS}/eas?readConcernLevel=local`;
    await expect(connectDatabase(uri)).rejects.toThrow(StartRefused);
    expect(() => plainClient(uri, 1)).toThrow(StartRefused);
  });
});
