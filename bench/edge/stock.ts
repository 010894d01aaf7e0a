import { ApolloGateway, LocalGraphQLDataSource } from '@apollo/gateway';
import { ApolloServer } from '@apollo/server';
import fastifyApollo, { fastifyApolloDrainPlugin } from '@as-integrations/fastify';
import { fastify } from 'fastify';
import { repositoryFile } from '../../app/repository.js';
import { readSupergraph } from '../../gateway/supergraph-file.js';
import type { RunOperation } from '../../rest-facade/register-route.js';
import type { RequestContext } from '../../shared/auth/context.js';
import { forbidGatewayTelemetry } from '../../shared/config/no-telemetry.js';
import type { EdgeMessage } from './roles.js';
import { principal, standInLedger, TENANT } from './stand-in.js';

async function stockGateway(): Promise<ApolloGateway> {
  forbidGatewayTelemetry();
  const schema = await standInLedger();
  return new ApolloGateway({
    supergraphSdl: await readSupergraph(repositoryFile('gateway/supergraph.graphql')),
    buildService: () => new LocalGraphQLDataSource(schema),
  });
}

/**
 * Apollo's own path as our facade could call it, in place of the executor: the same work stands before and after it, and
 * what differs is how an operation comes to its subgraph.
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
 * The way that Apollo's documentation shows: ApolloServer on Fastify. It asks for no key, keeps no limits, writes no log
 * and counts nothing, and has that advantage here.
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
