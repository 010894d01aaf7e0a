import type { Db } from 'mongodb';
import { DURABLE } from '../../../shared/db/connection-options.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { DeploymentRecord, Deployments } from './ports.js';

/** There is one document: of concurrent starts, the first insert decides. */
const DEPLOYMENT_ID = 'deployment';

export function deploymentStore(db: Db): Deployments {
  const documents = db.collection<DeploymentRecord & { readonly _id: string }>('deployment');
  const read = () => documents.findOne({ _id: DEPLOYMENT_ID });
  return {
    async fix(record) {
      const stored = await read();
      if (stored !== null) return stored;
      try {
        await documents.insertOne({ _id: DEPLOYMENT_ID, ...record }, { writeConcern: DURABLE });
        return record;
      } catch (error) {
        if (!duplicateKeyOf(error)) throw error;
      }
      const winner = await read();
      if (winner === null) throw new Error('the deployment record exists, but cannot be read');
      return winner;
    },
  };
}
