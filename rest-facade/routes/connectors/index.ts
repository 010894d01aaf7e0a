import { type RouteArea, routeTable } from '../../route-table.js';
import { receiveFhir } from './receive-fhir.js';

const CONNECTORS: RouteArea = {
  area: 'connectors',
  id: 'connector_id',
  reads: 'connectors:read',
  writes: 'connectors:write',
};

export const connectorRoutes = routeTable(CONNECTORS, {
  'POST /v1/connectors': {
    summary: 'Create a connector',
    description: 'It stays DISABLED until it is enabled. The API never returns the secrets of its configuration.',
    operation: { name: 'CreateConnector', field: 'createConnector' },
    bodyExample: {
      kind: 'HL7V2',
      name: 'Hospital north, ADT',
      source_system: 'hospital-north',
      config: { transport: 'MLLP', allowed_addresses: ['10.1.0.0/16'] },
    },
    answer: 'The connector, DISABLED.',
  },
  'GET /v1/connectors': {
    summary: 'List connectors',
    operation: { name: 'ListConnectors', field: 'connectors' },
    answer: 'One page of connectors, newest first by default.',
  },
  'GET /v1/connectors/{id}': {
    summary: 'Read one connector',
    operation: { name: 'GetConnector', field: 'connector' },
    answer: 'The connector, its health, and its latest changes.',
  },
  'PATCH /v1/connectors/{id}': {
    summary: 'Change a connector',
    description: 'Absent members stay; null removes a value of config. A running connector is reopened.',
    operation: { name: 'UpdateConnector', field: 'updateConnector' },
    bodyExample: { name: 'Hospital north, ADT and ORU' },
    answer: 'The connector.',
  },
  'DELETE /v1/connectors/{id}': {
    summary: 'Delete a connector',
    description: 'Its events, its ledger entries and its files stay. Its secrets are erased.',
    operation: { name: 'DeleteConnector', field: 'deleteConnector' },
    answer: 'The connector, DELETED.',
  },
  'POST /v1/connectors/{id}/enable': {
    summary: 'Enable a connector',
    description: 'It opens within a second, and again after each start. A connector in ERROR is retried at once.',
    operation: { name: 'EnableConnector', field: 'enableConnector' },
    answer: 'The connector.',
  },
  'POST /v1/connectors/{id}/disable': {
    summary: 'Disable a connector',
    description: 'Received messages are processed and acknowledged first.',
    operation: { name: 'DisableConnector', field: 'disableConnector' },
    answer: 'The connector.',
  },
  'POST /v1/connectors/{id}/test': {
    summary: 'Test a connector without receiving a message',
    description: 'Checks from this process that its port is free, its folder is usable, or its server answers.',
    operation: { name: 'TestConnector', field: 'testConnector' },
    answer: 'The checks and their results.',
  },
  'POST /v1/connectors/{id}/fhir': receiveFhir,
});
