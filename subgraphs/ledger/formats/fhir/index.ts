import { adapterOf } from '../emit.js';
import { FhirAcknowledger } from './acknowledge.js';
import { checkResource, type ResourceCheck } from './check/resource-check.js';
import { structureCheck } from './check/structure-check.js';
import { FhirReader } from './reader.js';

/** FHIR R4 in JSON: a resource, a Bundle of any type, or one of these per line (NDJSON). */
export const fhirAdapter = adapterOf(
  'fhir',
  async (options) => new FhirReader(options, options.strict ? await strictCheck() : null),
  () => new FhirAcknowledger(),
);

/** Checks the mapped elements and required value sets first, then the whole structure. */
async function strictCheck(): Promise<ResourceCheck> {
  const structure = await structureCheck();
  return (resource) => checkResource(resource) ?? structure(resource);
}
