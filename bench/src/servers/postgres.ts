import { PostgresServer } from '../../../service/test/postgres/_server.ts'

/** PostgreSQL as it comes, whose commits are on the disk, with more memory for its pages. */
export const startPostgres = (): Promise<PostgresServer> =>
  PostgresServer.create({
    durable: true,
    options: {
      shared_buffers: '256MB',
      max_connections: '100',
      dynamic_shared_memory_type: 'posix',
    },
  })
