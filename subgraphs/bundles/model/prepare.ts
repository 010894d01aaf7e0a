import type { Database } from '../../../shared/db/database.js';
import { bundleInputSchema, bundleSchema } from './bundle-model.js';
import { matterSchema } from './matter-model.js';

const SCHEMAS = {
  Bundle: bundleSchema,
  BundleInput: bundleInputSchema,
  LegalMatter: matterSchema,
} as const;

/** Builds the declared indexes; running it again changes nothing. */
export async function prepareBundleCollections({ connection }: Database): Promise<void> {
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const model = connection.models[name] ?? connection.model(name, schema as never);
    await model.createIndexes();
  }
}
