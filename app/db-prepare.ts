import { configFromProcess } from '../shared/config/config.js';
import { ConfigError } from '../shared/config/schema.js';
import { StartRefused } from './data-directory.js';
import { prepareDatabase } from './prepare-database.js';

// `npm run db:prepare`: collections and indexes ahead of the first start, by a credential that may make them.

try {
  const description = await prepareDatabase(configFromProcess());
  process.stdout.write(`collections and indexes are ready: ${description}\n`);
} catch (error) {
  const expected = error instanceof ConfigError || error instanceof StartRefused;
  process.stderr.write(`${expected ? error.message : ((error as Error).stack ?? String(error))}\n`);
  process.exitCode = expected ? 2 : 1;
}
