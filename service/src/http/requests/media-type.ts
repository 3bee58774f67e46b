import type { FastifyInstance, FastifyRequest } from 'fastify'
import { show } from '../../errors/show.ts'

const JSON_TYPE = 'application/json'
const LINES_TYPE = 'application/x-ndjson'

/** Lets each route know the media types of its operation. */
export function installMediaTypes(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const consumes: unknown = Reflect.get(route, 'consumes')
    if (!Array.isArray(consumes)) return
    route.config = { ...route.config, consumes: consumes.map(String) }
  })
}

/** Marks an error of a body, as validation does: its response names a wrong media type. */
export const ofBody = (error: Error): Error => Object.assign(error, { validationContext: 'body' })

/**
 * What is said of the `Content-Type` of a body that was refused: nothing where the route expects it.
 *
 * The header never is the reason itself, since clients send JSON with many media types.
 */
export function noteMediaType({ headers, routeOptions }: FastifyRequest): string {
  const expected = routeOptions.config.consumes ?? [JSON_TYPE]
  // Line protocol is read whatever its media type is.
  if (expected.includes('text/plain')) return ''
  const [type = ''] = (headers['content-type'] ?? '').toLowerCase().split(';')
  const given = type.trim()
  if (expected.some((one) => isSame(one, given))) return ''
  const found = given === '' ? 'is missing' : `is ${show(given)}`
  return `; the header "Content-Type" ${found}, this path expects ${expected.join(' or ')}`
}

const isSame = (expected: string, given: string): boolean =>
  expected === given ||
  (expected === JSON_TYPE && /[/+]json$/.test(given)) ||
  (expected === LINES_TYPE && /^application\/(x-)?(ndjson|jsonlines|json-seq)/.test(given))
