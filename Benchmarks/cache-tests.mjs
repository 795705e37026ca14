#!/usr/bin/env node
// Runs the public suite http-tests/cache-tests against `runner` as a private cache; README.md says how.
//
// The suite's own client asks by `fetch`: here that is a run of the command for each request, with a cache folder that
// they share. What its server is told and asked besides goes by the real one.

import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { register } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const options = { runner: '.build/release/runner', staleIfError: '0s', only: undefined, set: 'browsers' }
const places = []
for (const argument of process.argv.slice(2)) {
  const option = argument.match(/^--(runner|staleIfError|only|set)=(.+)$/)
  if (option) options[option[1]] = option[2]
  else places.push(argument)
}
if (places.length !== 1 || !['browsers', 'skipped'].includes(options.set)) {
  console.error('usage: cache-tests.mjs [--runner=PATH] [--staleIfError=1h] [--only=TEST] [--set=browsers|skipped] CHECKOUT')
  process.exit(2)
}
const suite = resolve(places[0])
const module = path => import(pathToFileURL(join(suite, path)))
const { default: tests } = await module('tests/index.mjs')
const { runTests, getResults } = await module('test-engine/client/runner.mjs')
const { determineTestResult, resultTypes } = await module('test-engine/lib/results.mjs')

const folder = mkdtempSync(join(tmpdir(), 'cache-tests.'))
const ask = globalThis.fetch
let count = 0

// The suite takes informational responses from undici's dispatcher: here a dispatcher is what collects them.
const undici = 'export class Agent { compose (interceptor) { return interceptor } }'
register('data:text/javascript,' + encodeURIComponent(`
  export const resolve = async (name, context, next) => name === 'undici'
    ? { url: 'data:text/javascript,' + ${JSON.stringify(encodeURIComponent(undici))}, shortCircuit: true }
    : next(name, context)
`))

/** What the command makes of one request. */
globalThis.fetch = async (url, init = {}) => {
  if (!new URL(url).pathname.startsWith('/test/')) return ask(url, init)
  const name = join(folder, `${count += 1}`)
  const body = `${name}.body`
  const task = {
    url,
    method: init.method ?? 'GET',
    headers: Object.fromEntries(new Headers(init.headers)),
    responseTo: body,
    expect: { statusCode: ['100-599'] },
    redirects: { follow: init.redirect !== 'manual' },
    retry: { attempts: 1 }
  }
  const policy = policies[init.cache]
  if (policy) task.cachePolicy = policy
  const isUpload = init.body !== undefined && ['POST', 'PUT', 'PATCH'].includes(task.method)
  if (isUpload) task.text = init.body
  const job = {
    version: 1,
    sessions: {
      suite: {
        urlCache: { directory: join(folder, 'cache'), staleIfError: options.staleIfError },
        httpShouldSetCookies: false
      }
    },
    [isUpload ? 'uploads' : 'data']: { task }
  }
  writeFileSync(`${name}.yaml`, JSON.stringify(job))
  const words = ['run', `${name}.yaml`, '--report', `${name}.json`, '--progress', 'none']
  const complaint = await new Promise(resolve => {
    execFile(options.runner, [...words, '--state-dir', join(folder, 'state')], (error, _, text) => {
      resolve(error ? text : '')
    })
  })
  let record
  try {
    record = JSON.parse(readFileSync(`${name}.json`)).tasks[0]
  } catch {
    throw new Error(`no report: ${complaint}`)
  }
  if (options.only) console.error(JSON.stringify(record.extension.cache), record.error?.message ?? '')
  const informed = record.metrics?.transactionMetrics.flatMap(metrics => metrics.extension.informational) ?? []
  init.dispatcher?.((_, collector) => {
    for (const { statusCode, headers } of informed) {
      collector.onResponseStart(null, statusCode, Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value])))
    }
  })({}, {})
  return response(record, body, new Headers(init.headers).get('test-id'))
}

/** Parts of the names of tests that are about caches which several users share. */
const sharedOnly = ['shared', 's-maxage', 'proxy-revalidate', 'other-authorization']

/** The policies that fetch has other names for. */
const policies = {
  'no-store': 'reloadIgnoringLocalCacheData',
  reload: 'reloadIgnoringLocalAndRemoteCacheData',
  'no-cache': 'reloadRevalidatingCacheData',
  'force-cache': 'returnCacheDataElseLoad',
  'only-if-cached': 'returnCacheDataDontLoad'
}

/** The value that a test has its server send in a field that reports do not show, such as `Set-Cookie`. */
function sentValue (id, name) {
  const test = tests.flatMap(group => group.tests).find(test => test.id === id)
  const fields = test.requests.flatMap(request => request.response_headers ?? [])
  return fields.find(field => field[0].toLowerCase() === name.toLowerCase())?.[1] ?? 'hidden'
}

/** The report as a response; a gateway would say 504 for what has none (RFC 9111 §5.2.2.2). */
function response (record, body, id) {
  if (record.response === null) {
    return { status: 504, headers: new Headers(), text: async () => '' }
  }
  const headers = new Headers()
  for (const { name, value } of record.response.headers) {
    headers.append(name, value === '‹redacted›' ? sentValue(id, name) : value)
  }
  let text = ''
  try {
    text = readFileSync(body, 'utf8')
  } catch {}
  return { status: record.response.statusCode, headers, text: async () => text }
}

/** A port that nobody has. */
function freePort () {
  return new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

/** The suite's server, once it answers. */
async function startServer (port) {
  const server = spawn(process.execPath, ['test-engine/server/server.mjs'], {
    cwd: suite,
    env: {
      ...process.env,
      npm_config_protocol: 'http',
      npm_config_port: `${port}`,
      npm_config_pidfile: join(folder, 'server.pid')
    },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  await new Promise(resolve => server.stdout.once('data', resolve))
  server.stdout.resume()
  return server
}

/** How many tests of each kind passed, and which did not. */
function summarize (results, isCounted) {
  const sums = {}
  const failed = []
  for (const test of tests.flatMap(group => group.tests)) {
    if (results[test.id] === undefined || !isCounted(test)) continue
    const kind = test.kind ?? 'required'
    const sum = sums[kind] ??= { passed: 0, of: 0 }
    sum.of += 1
    const result = determineTestResult(tests, test.id, results)
    if (result === resultTypes.pass || result === resultTypes.yes) {
      sum.passed += 1
    } else if (kind !== 'check') {
      failed.push(`${kind} ${test.id} ${result[2]} ${results[test.id][1] ?? ''}`)
    }
  }
  for (const [kind, { passed, of }] of Object.entries(sums)) console.log(`${kind}: ${passed} of ${of}`)
  for (const line of failed.sort()) console.log(line)
}

const port = await freePort()
const server = await startServer(port)
try {
  const all = tests.flatMap(group => group.tests)
  const isForShared = test => sharedOnly.some(part => test.id.includes(part))
  const skipped = new Set(all.filter(test => test.browser_skip && !isForShared(test)))
  if (options.set === 'skipped') skipped.forEach(test => { test.browser_skip = false })
  const isRun = test => !options.only || test.id === options.only
  const chosen = tests.map(group => ({ ...group, tests: group.tests.filter(isRun) }))
  await runTests(chosen, true, `http://127.0.0.1:${port}`, options.only ? 1 : 40)
  summarize(getResults(), test => options.set === 'browsers' || skipped.has(test))
} finally {
  server.kill()
  rmSync(folder, { recursive: true, force: true })
}
