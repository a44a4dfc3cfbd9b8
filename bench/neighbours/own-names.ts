/** Preloaded into the appliance: all names are looked up at the benchmark's own name server, BENCH_NAME_SERVER. */
import { Resolver } from 'node:dns/promises'

const server = process.env['BENCH_NAME_SERVER'] ?? '127.0.0.1'
/** Servers cannot be set while a lookup of the same resolver is under way. */
const known = new WeakSet<Resolver>()

for (const method of ['resolve4', 'resolve6'] as const) {
  const original = Resolver.prototype[method] as (this: Resolver, name: string) => Promise<string[]>
  Object.assign(Resolver.prototype, {
    [method] (this: Resolver, name: string): Promise<string[]> {
      if (!known.has(this)) this.setServers([server])
      known.add(this)
      return original.call(this, name)
    }
  })
}
