import { readFile } from 'node:fs/promises';
import { ApolloGateway, LocalGraphQLDataSource } from '@apollo/gateway';
import { ApolloServer } from '@apollo/server';
import fastifyApollo, { fastifyApolloDrainPlugin } from '@as-integrations/fastify';
import { fastify } from 'fastify';
import { repositoryFile } from '../../app/repository.js';
import type { RunOperation } from '../../rest-facade/register-route.js';
import type { RequestContext } from '../../shared/auth/context.js';
import { forbidGatewayTelemetry } from '../../shared/config/no-telemetry.js';
import type { EdgeMessage } from './roles.js';
import { principal, standInLedger, TENANT } from './stand-in.js';

async function stockGateway(): Promise<ApolloGateway> {
  forbidGatewayTelemetry();
  const schema = await standInLedger();
  return new ApolloGateway({
    supergraphSdl: await readFile(repositoryFile('gateway/supergraph.graphql'), 'utf8'),
    buildService: () => new LocalGraphQLDataSource(schema),
  });
}

/**
 * Calls Apollo's path from our facade instead of the executor. The work before and after is the same; only the path of an
 * operation to its subgraph differs.
 */
export async function stockRun(documents: ReadonlyMap<string, string>): Promise<RunOperation> {
  const apollo = new ApolloServer<RequestContext>({ gateway: await stockGateway() });
  await apollo.start();
  return async (operationName, variables, contextValue) => {
    const query = documents.get(operationName);
    if (query === undefined) throw new Error(`there is no operation ${operationName}`);
    const { body } = await apollo.executeOperation({ query, operationName, variables }, { contextValue });
    if (body.kind !== 'single') throw new Error('an answer in pieces was not asked for');
    const { data, errors } = body.singleResult;
    if (!data || errors) throw new Error(`stock Apollo answered ${errors?.[0]?.message}`);
    return data;
  };
}

/**
 * The setup of Apollo's documentation: ApolloServer on Fastify. Its advantage here: it checks no key, applies no limits,
 * writes no log and keeps no metrics.
 */
export async function serveStock(): Promise<EdgeMessage> {
  const server = fastify();
  const apollo = new ApolloServer<RequestContext>({
    gateway: await stockGateway(),
    plugins: [fastifyApolloDrainPlugin(server)],
  });
  await apollo.start();
  const context = async () => ({ requestId: 'stock', traceparent: null, workId: null, tenantId: TENANT, principal });
  await server.register(fastifyApollo(apollo), { context });
  return { url: await server.listen({ port: 0, host: '127.0.0.1' }), apiKey: '' };
}
