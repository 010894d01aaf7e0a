import type { RecordKind } from '../../../shared/records/steps.js';
import { LINK_MACHINE } from './domain/index.js';
import type { StoredLink } from './ports.js';

/** The payload leaves out recipient and purpose: free texts may name people. Custody has them. */
export const LINK: RecordKind<StoredLink, 'link_id'> = {
  machine: LINK_MACHINE,
  idKind: 'bundleLink',
  id: 'link_id',
  noun: 'bundle link',
  family: 'bundle-link',
  facts: true,
  payload: ({ link_id, bundle_id, downloads }, step) => ({ link_id, bundle_id, downloads, ...step }),
};
