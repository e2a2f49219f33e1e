// chromium.mjs: headless Chromium by the DevTools protocol over two pipes.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const open = async (program) => {
  const profile = mkdtempSync(join(tmpdir(), 'jounce-chromium-'));
  const child = spawn(program, ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars',
    '--remote-debugging-pipe', `--user-data-dir=${profile}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const waiting = new Map(), listeners = [];
  let count = 0, text = '';
  child.stdio[4].setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
    const parts = text.split('\0');
    text = parts.pop();
    for (const part of parts) {
      const message = JSON.parse(part), call = waiting.get(message.id);
      waiting.delete(message.id);
      if (call) message.error ? call.reject(new Error(message.error.message)) : call.resolve(message.result);
      else listeners.forEach((listen) => listen(message));
    }
  });
  child.on('exit', () => waiting.forEach((call) => call.reject(new Error('Chromium ended'))));
  const send = (method, params = {}, sessionId) => new Promise((resolve, reject) => {
    waiting.set(++count, { resolve, reject });
    child.stdio[3].write(JSON.stringify({ id: count, method, params, sessionId }) + '\0');
  });
  const close = async () => {
    const ended = new Promise((resolve) => child.on('exit', resolve));
    await send('Browser.close').catch(() => child.kill());
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };

  /** A page: its errors, and the addresses that it asked for. */
  const page = async (url, { width = 1280, height = 1400 } = {}) => {
    const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
    const call = (method, params) => send(method, params, sessionId);
    const errors = [], requests = [];
    listeners.push(({ sessionId: from, method, params }) => {
      if (from !== sessionId) return;
      if (method === 'Runtime.exceptionThrown') errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
      if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(params.type)) errors.push(JSON.stringify(params.args));
      if (method === 'Log.entryAdded' && ['error', 'warning'].includes(params.entry.level)) errors.push(params.entry.text);
      if (method === 'Network.requestWillBeSent') requests.push(params.request.url);
    });
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await call(`${domain}.enable`);
    await call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    await call('Page.navigate', { url });
    /** The value of an expression, which may be a promise. */
    const value = async (expression) => {
      const { result, exceptionDetails } = await call('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true, userGesture: true });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    };
    const until = async (expression) => {
      for (;;) {
        if (await value(expression).catch(() => false)) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    const key = async (name, code = name) => {
      const keyText = name === 'Enter' ? '\r' : name.length === 1 ? name : undefined;
      const windowsVirtualKeyCode = { ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Enter: 13, Tab: 9, ' ': 32, Home: 36, End: 35 }[name];
      await call('Input.dispatchKeyEvent', { type: 'keyDown', key: name, code, text: keyText, windowsVirtualKeyCode });
      await call('Input.dispatchKeyEvent', { type: 'keyUp', key: name, code, windowsVirtualKeyCode });
    };
    const drag = async (x, y, toX, toY) => {
      const mouse = (type, at, to) => call('Input.dispatchMouseEvent', { type, x: at, y: to, button: 'left', buttons: 1, clickCount: 1 });
      await mouse('mousePressed', x, y);
      for (let i = 1; i <= 5; i++) await mouse('mouseMoved', x + ((toX - x) * i) / 5, y + ((toY - y) * i) / 5);
      await mouse('mouseReleased', toX, toY);
    };
    const picture = async () => Buffer.from((await call('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true })).data, 'base64');
    return { call, value, until, key, drag, picture, errors, requests };
  };
  return { page, close };
};
