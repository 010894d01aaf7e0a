import { ApolloGateway, LocalGraphQLDataSource } from '@apollo/gateway';
import { ApolloServer } from '@apollo/server';
import fastifyApollo, { fastifyApolloDrainPlugin } from '@as-integrations/fastify';
import { fastify } from 'fastify';
import { repositoryFile } from '../../app/repository.js';
import { readSupergraph } from '../../gateway/supergraph-file.js';
import type { RequestContext } from '../../shared/auth/context.js';
import { forbidGatewayTelemetry } from '../../shared/config/no-telemetry.js';
import type { EdgeMessage } from './roles.js';
import { principal, standInLedger, TENANT } from './stand-in.js';

/**
 * The way that Apollo's documentation shows: ApolloServer on Fastify before a gateway whose subgraphs are
 * LocalGraphQLDataSource. It asks for no key, keeps no limits and writes no log, and has that advantage here.
 */
export async function serveStock(): Promise<EdgeMessage> {
  forbidGatewayTelemetry();
  const schema = await standInLedger();
  const gateway = new ApolloGateway({
    supergraphSdl: await readSupergraph(repositoryFile('gateway/supergraph.graphql')),
    buildService: () => new LocalGraphQLDataSource(schema),
  });
  const server = fastify();
  const apollo = new ApolloServer<RequestContext>({ gateway, plugins: [fastifyApolloDrainPlugin(server)] });
  await apollo.start();
  const context = async () => ({ requestId: 'stock', traceparent: null, workId: null, tenantId: TENANT, principal });
  await server.register(fastifyApollo(apollo), { context });
  return { url: await server.listen({ port: 0, host: '127.0.0.1' }), apiKey: '' };
}
