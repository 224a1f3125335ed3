// The guest side of the sandbox: one QuickJS runtime with one realm behind a narrow binary interface.
//
// Strings cross the boundary as pointer and length, structured values as JSON text inside them. The host may only
// call the exports below and read what an `outcome` points at; the guest may only call the five imports (the
// fifth, the clock, is declared by the libc shim of the engine source). `runtime.js` holds everything that is
// easier to say in JavaScript, `sdk.js` is the module that authors import.
//
// An instance serves one invocation and is thrown away, so nothing here is freed at the end, and memory that the
// outcome needs is kept.
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "quickjs.h"

#define IMPORT(name) __attribute__((import_module("lumio"), import_name(name)))
#define EXPORT(name) __attribute__((export_name(name)))

// ---- host functions -------------------------------------------------------------------------------------------

// A result below zero means failure: -(length + 1) bytes of error JSON wait for `host_take`.

// Runs a synchronous operation; the length of its reply waits for `host_take`.
IMPORT("call")
extern int32_t host_call(const char *operation, size_t operation_length, const char *argument, size_t argument_length);

// Starts an asynchronous operation and returns its ticket.
IMPORT("start")
extern int32_t host_start(const char *operation, size_t operation_length, const char *argument,
                          size_t argument_length, const uint8_t *body, size_t body_length);

struct completion {
    int32_t ticket;
    uint32_t failed;
    uint32_t text_length; // JSON, first in the reply
    uint32_t body_length; // raw bytes after it
};

// Suspends this instance until any operation has ended. The only import that suspends.
IMPORT("wait") extern void host_wait(struct completion *completion);

// Copies the reply that waits, whole.
IMPORT("take") extern void host_take(void *destination, size_t capacity);

// ---- what the host reads --------------------------------------------------------------------------------------

enum { OUTCOME_OK = 0, OUTCOME_FAILED = 1 };

struct outcome {
    uint32_t status;
    const char *text; // JSON
    uint32_t length;
};

static struct outcome outcome;

// ---- state ----------------------------------------------------------------------------------------------------

// The shadow stack is 512 KiB (set at link time); QuickJS must give up well before its end, because its own check
// does not see what a native function is about to use.
enum { MAX_STACK_BYTES = 192 * 1024 };

// Cycles are collected only when a heap grows past this: most invocations end long before, and a collection would
// touch every object and so copy every page that the instances share.
enum { GC_THRESHOLD_BYTES = 8 * 1024 * 1024 };

static const char SDK_SPECIFIER[] = "@lumio/sdk/server";
// Another name of the same module (reference/handlers.md#form).
static const char SDK_DOCUMENTED_SPECIFIER[] = "@zaflun/lumio-sdk/server";
static const char HANDLER_FILE[] = "server.js";
static const char STOP_SPECIFIER[] = "lumio:stop";
// Evaluated in this order: the first fails, so the handler module is linked and never run.
static const char linker_source[] = "import 'lumio:stop'; import 'server.js';";

static const char arguments_source[] = {
#embed "arguments.js"
    , 0};
static const char fetch_source[] = {
#embed "fetch.js"
    , 0};
static const char runtime_source[] = {
#embed "runtime.js"
    , 0};
static const char sdk_source[] = {
#embed "sdk.js"
    , 0};

static JSRuntime *runtime;
static JSContext *realm;
static JSValue handler_namespace = JS_UNDEFINED;
static uint32_t operations_under_way;
static uint64_t random_state = 1;
// Imports are resolved while a module is compiled; every other resolution is a dynamic import.
static bool compiling;
// While the module that links a handler module is compiled, which imports it.
static bool linking;

// Functions that runtime.js returns.
static JSValue js_invoke, js_complete, js_describe_error, js_describe_exports, js_describe_names, js_track_rejection;

// ---- functions for runtime.js ---------------------------------------------------------------------------------

// Gives what waits on the host as a string, or NULL with an exception.
static char *take_reply(size_t length) {
    char *reply = js_malloc(realm, length + 1);
    if (reply) {
        host_take(reply, length);
        reply[length] = 0;
    }
    return reply;
}

// Turns a host result into a string; failures are thrown as a string of JSON for runtime.js to make an Error of.
static JSValue reply_value(int32_t result) {
    size_t length = result < 0 ? (size_t)(-(int64_t)result - 1) : (size_t)result;
    char *reply = take_reply(length);
    if (!reply) return JS_EXCEPTION;
    JSValue value = JS_NewStringLen(realm, reply, length);
    js_free(realm, reply);
    if (JS_IsException(value)) return value;
    return result < 0 ? JS_Throw(realm, value) : value;
}

// call(operation, argument) -> reply
static JSValue host_call_function(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
    size_t operation_length, argument_length;
    const char *operation = JS_ToCStringLen(ctx, &operation_length, argv[0]);
    const char *argument = operation ? JS_ToCStringLen(ctx, &argument_length, argv[1]) : NULL;
    JSValue value = JS_EXCEPTION;
    if (argument) value = reply_value(host_call(operation, operation_length, argument, argument_length));
    JS_FreeCString(ctx, argument);
    JS_FreeCString(ctx, operation);
    return value;
}

// Points at the bytes of undefined, a string, an ArrayBuffer or a Uint8Array.
struct bytes {
    const uint8_t *data;
    size_t length;
    const char *string; // to be freed with JS_FreeCString
    bool valid;
};

static struct bytes bytes_of(JSContext *ctx, JSValueConst value) {
    struct bytes bytes = {.valid = true};
    if (JS_IsString(value)) {
        bytes.string = JS_ToCStringLen(ctx, &bytes.length, value);
        bytes.data = (const uint8_t *)bytes.string;
        bytes.valid = bytes.string != NULL;
    } else if (JS_IsArrayBuffer(value)) {
        bytes.data = JS_GetArrayBuffer(ctx, &bytes.length, value);
    } else if (!JS_IsUndefined(value)) {
        bytes.data = JS_GetUint8Array(ctx, &bytes.length, value);
        bytes.valid = bytes.data != NULL;
    }
    return bytes;
}

// start(operation, argument, body) -> ticket
static JSValue host_start_function(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
    size_t operation_length, argument_length;
    const char *operation = JS_ToCStringLen(ctx, &operation_length, argv[0]);
    const char *argument = operation ? JS_ToCStringLen(ctx, &argument_length, argv[1]) : NULL;
    JSValue value = JS_EXCEPTION;
    if (argument) {
        struct bytes body = bytes_of(ctx, argv[2]);
        if (body.valid) {
            int32_t ticket =
                host_start(operation, operation_length, argument, argument_length, body.data, body.length);
            if (ticket >= 0) operations_under_way++;
            value = ticket >= 0 ? JS_NewInt32(ctx, ticket) : reply_value(ticket);
        }
        JS_FreeCString(ctx, body.string);
    }
    JS_FreeCString(ctx, argument);
    JS_FreeCString(ctx, operation);
    return value;
}

// decodeUtf8(buffer) -> string; bytes that are no UTF-8 become U+FFFD
static JSValue decode_utf8_function(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
    struct bytes bytes = bytes_of(ctx, argv[0]);
    return JS_NewStringLen(ctx, (const char *)bytes.data, bytes.length);
}

// Math.random of the engine is seeded once per runtime, which a snapshot would freeze for everybody.
static JSValue random_function(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return JS_NewFloat64(ctx, (double)((random_state * 0x2545F4914F6CDD1DULL) >> 11) / 9007199254740992.0);
}

// ---- modules --------------------------------------------------------------------------------------------------

static char *resolve_specifier(JSContext *ctx, const char *importer, const char *specifier, void *opaque) {
    if (!compiling) {
        JS_ThrowTypeError(ctx, "dynamic import is not available in handlers");
        return NULL;
    }
    if (linking) return js_strdup(ctx, specifier);
    if (strcmp(specifier, SDK_SPECIFIER) != 0 && strcmp(specifier, SDK_DOCUMENTED_SPECIFIER) != 0) {
        JS_ThrowSyntaxError(ctx, "cannot import \"%s\": handlers can import \"%s\" only", specifier, SDK_SPECIFIER);
        return NULL;
    }
    return js_strdup(ctx, SDK_SPECIFIER);
}

static JSValue compile_module(const char *source, size_t length, const char *file) {
    compiling = true;
    JSValue module = JS_Eval(realm, source, length, file, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
    compiling = false;
    return module;
}

// ---- boot -----------------------------------------------------------------------------------------------------

static void track_rejection(JSContext *ctx, JSValueConst promise, JSValueConst reason, bool handled, void *opaque) {
    JSValueConst arguments[] = {promise, reason, JS_NewBool(ctx, handled)};
    JSValue result = JS_Call(ctx, js_track_rejection, JS_UNDEFINED, 3, arguments);
    // Only memory can run out here, and the host knows of that by itself.
    if (JS_IsException(result)) JS_FreeValue(ctx, JS_GetException(ctx));
    JS_FreeValue(ctx, result);
}

static void must(bool condition) {
    if (!condition) __builtin_trap();
}

static JSValue checked(JSValue value) {
    must(!JS_IsException(value));
    return value;
}

static JSValue evaluate(const char *source, const char *file) {
    return checked(JS_Eval(realm, source, strlen(source), file, JS_EVAL_TYPE_GLOBAL));
}

static void evaluate_runtime(void) {
    JSValue checker = evaluate(arguments_source, "lumio:arguments");
    JSValueConst parts[] = {
        JS_NewCFunction(realm, host_call_function, "call", 2),
        JS_NewCFunction(realm, host_start_function, "start", 3),
        JS_NewCFunction(realm, decode_utf8_function, "decodeUtf8", 1),
        JS_NewCFunction(realm, random_function, "random", 0),
        evaluate(fetch_source, "lumio:fetch"),
        checked(JS_Call(realm, checker, JS_UNDEFINED, 0, NULL)),
    };
    JSValue factory = evaluate(runtime_source, "lumio:runtime");
    JSValue exports = checked(JS_Call(realm, factory, JS_UNDEFINED, 6, parts));
    js_invoke = checked(JS_GetPropertyStr(realm, exports, "invoke"));
    js_complete = checked(JS_GetPropertyStr(realm, exports, "complete"));
    js_describe_error = checked(JS_GetPropertyStr(realm, exports, "describeError"));
    js_describe_exports = checked(JS_GetPropertyStr(realm, exports, "describeExports"));
    js_describe_names = checked(JS_GetPropertyStr(realm, exports, "describeNames"));
    js_track_rejection = checked(JS_GetPropertyStr(realm, exports, "trackRejection"));
}

static void evaluate_sdk(void) {
    JSValue module = checked(compile_module(sdk_source, strlen(sdk_source), SDK_SPECIFIER));
    JSValue promise = checked(JS_EvalFunction(realm, module));
    must(JS_PromiseState(realm, promise) == JS_PROMISE_FULFILLED);
}

// Part of the C library that is linked, without a header.
extern size_t malloc_usable_size(void *block);

static void *allocate_zeroed(void *opaque, size_t count, size_t size) { return calloc(count, size); }
static void *allocate_block(void *opaque, size_t size) { return malloc(size); }
static void *resize_block(void *opaque, void *block, size_t size) { return realloc(block, size); }
static void free_block(void *opaque, void *block) { free(block); }
static size_t block_size(const void *block) { return malloc_usable_size((void *)block); }

// The default functions do not know the size of a block on this platform, and a collector that does not know how
// much is allocated never runs.
static const JSMallocFunctions allocator = {
    .js_calloc = allocate_zeroed,
    .js_malloc = allocate_block,
    .js_free = free_block,
    .js_realloc = resize_block,
    .js_malloc_usable_size = block_size,
};

// Booting leaves free blocks all over the heap. What a handler allocates would land in them, and so write to almost
// every page of the snapshot and give each instance its own copy. Taking the gaps makes it land together behind them.
static void fill_gaps(void) {
    enum { LARGEST_GAP_BYTES = 64 * 1024, SMALLEST_GAP_BYTES = 16, STEP_BYTES = 8 };
    char *end = malloc(LARGEST_GAP_BYTES);
    must(end != NULL);
    for (size_t size = LARGEST_GAP_BYTES; size >= SMALLEST_GAP_BYTES; size -= STEP_BYTES) {
        char *block;
        while ((block = malloc(size)) < end) must(block != NULL);
        free(block);
    }
    free(end);
}

// Runs before the snapshot is taken; every instance starts from its result.
EXPORT("wizer.initialize") void boot(void) {
    runtime = JS_NewRuntime2(&allocator, NULL);
    must(runtime != NULL);
    // Before the first line of JavaScript: the default is larger than the shadow stack.
    JS_SetMaxStackSize(runtime, MAX_STACK_BYTES);
    realm = JS_NewContext(runtime);
    must(realm != NULL);
    JS_SetModuleLoaderFunc(runtime, resolve_specifier, NULL, NULL);
    evaluate_runtime();
    evaluate_sdk();
    JS_RunGC(runtime);
    fill_gaps();
    JS_SetGCThreshold(runtime, GC_THRESHOLD_BYTES);
}

// ---- outcomes -------------------------------------------------------------------------------------------------

static const struct outcome *finish(uint32_t status, JSValueConst json) {
    size_t length;
    const char *text = JS_ToCStringLen(realm, &length, json);
    if (text) {
        outcome = (struct outcome){status, text, length};
    } else {
        static const char exhausted[] = "{\"name\":\"InternalError\",\"message\":\"out of memory\"}";
        outcome = (struct outcome){OUTCOME_FAILED, exhausted, sizeof exhausted - 1};
    }
    return &outcome;
}

// The code, if any, is one of the host's failure codes.
static const struct outcome *fail(JSValueConst error, const char *code) {
    JSValueConst arguments[] = {error, code ? JS_NewString(realm, code) : JS_UNDEFINED};
    return finish(OUTCOME_FAILED, JS_Call(realm, js_describe_error, JS_UNDEFINED, 2, arguments));
}

static const struct outcome *fail_with_exception(const char *code) { return fail(JS_GetException(realm), code); }

static const struct outcome *fail_with_stall(const char *what) {
    JS_ThrowPlainError(realm, "%s never settles: nothing is left that could settle it", what);
    return fail_with_exception(NULL);
}

// ---- the event loop -------------------------------------------------------------------------------------------

static void run_jobs(void) {
    JSContext *ctx;
    int result;
    while ((result = JS_ExecutePendingJob(runtime, &ctx)) != 0) {
        // What a job throws has already rejected its promise.
        if (result < 0) JS_FreeValue(ctx, JS_GetException(ctx));
    }
}

static void complete_operation(const struct completion *completion) {
    operations_under_way--;
    size_t length = (size_t)completion->text_length + completion->body_length;
    char *reply = take_reply(length);
    // The host has recorded that memory ran out; without the reply this instance cannot go on.
    must(reply != NULL);
    JSValueConst arguments[] = {
        JS_NewInt32(realm, completion->ticket),
        JS_NewBool(realm, completion->failed != 0),
        JS_NewStringLen(realm, reply, completion->text_length),
        completion->failed ? JS_UNDEFINED
                           : JS_NewArrayBufferCopy(realm, (const uint8_t *)reply + completion->text_length,
                                                   completion->body_length),
    };
    js_free(realm, reply);
    must(!JS_IsException(arguments[2]) && !JS_IsException(arguments[3]));
    JSValue result = JS_Call(realm, js_complete, JS_UNDEFINED, 4, arguments);
    must(!JS_IsException(result));
    JS_FreeValue(realm, arguments[2]);
    JS_FreeValue(realm, arguments[3]);
}

// Whether the promise settled before nothing was left to do.
static bool settle(JSValueConst promise) {
    for (;;) {
        run_jobs();
        if (JS_PromiseState(realm, promise) != JS_PROMISE_PENDING) return true;
        if (operations_under_way == 0) return false;
        struct completion completion;
        host_wait(&completion);
        complete_operation(&completion);
    }
}

// ---- exports --------------------------------------------------------------------------------------------------

// Room for a text from the host, one byte longer than asked for: QuickJS reads a terminating zero after sources.
EXPORT("allocate") void *allocate(size_t length) { return malloc(length + 1); }

// Links a compiled module without running it: only linked modules have a namespace.
static JSValue link_module(void) {
    static const char stop_source[] = "throw null";
    JSValue stop = compile_module(stop_source, sizeof stop_source - 1, STOP_SPECIFIER);
    if (JS_IsException(stop)) return stop;
    linking = true;
    JSValue module = compile_module(linker_source, sizeof linker_source - 1, "lumio:linker");
    linking = false;
    return JS_IsException(module) ? module : JS_EvalFunction(realm, module);
}

// Compiles and links a module without running it; the outcome lists the names of its exports. Takes over the source.
EXPORT("check") const struct outcome *check(char *source, size_t length) {
    JS_UpdateStackTop(runtime);
    source[length] = 0;
    JSValue module = compile_module(source, length, HANDLER_FILE);
    if (JS_IsException(module)) return fail_with_exception("SYNTAX_ERROR");
    JSValue promise = link_module();
    // Only linking can fail here: an import that the SDK does not export.
    if (JS_IsException(promise)) return fail_with_exception("SYNTAX_ERROR");
    must(JS_PromiseState(realm, promise) == JS_PROMISE_REJECTED);

    JSValueConst arguments[] = {JS_GetModuleNamespace(realm, JS_VALUE_GET_PTR(module))};
    if (JS_IsException(arguments[0])) return fail_with_exception("SYNTAX_ERROR");
    JSValue names = JS_Call(realm, js_describe_names, JS_UNDEFINED, 1, arguments);
    if (JS_IsException(names)) return fail_with_exception(NULL);
    return finish(OUTCOME_OK, names);
}

// Loads the handler module; the outcome lists its exports. Takes over the source.
EXPORT("load") const struct outcome *load(char *source, size_t length) {
    JS_UpdateStackTop(runtime);
    source[length] = 0;
    JSValue module = compile_module(source, length, HANDLER_FILE);
    free(source);
    if (JS_IsException(module)) return fail_with_exception("SYNTAX_ERROR");

    JSModuleDef *definition = JS_VALUE_GET_PTR(module);
    JSValue promise = JS_EvalFunction(realm, module);
    // Before anything has run, only linking can fail: an import that the module does not export.
    if (JS_IsException(promise)) return fail_with_exception("SYNTAX_ERROR");
    if (!settle(promise)) return fail_with_stall("a top-level await");
    if (JS_PromiseState(realm, promise) == JS_PROMISE_REJECTED) return fail(JS_PromiseResult(realm, promise), NULL);
    JS_FreeValue(realm, promise);

    handler_namespace = JS_GetModuleNamespace(realm, definition);
    if (JS_IsException(handler_namespace)) return fail_with_exception(NULL);
    JSValueConst arguments[] = {handler_namespace};
    JSValue exports = JS_Call(realm, js_describe_exports, JS_UNDEFINED, 1, arguments);
    if (JS_IsException(exports)) return fail_with_exception(NULL);
    return finish(OUTCOME_OK, exports);
}

// Calls a handler with a request in JSON (see `invoke` in runtime.js). Takes over the request.
EXPORT("invoke") const struct outcome *invoke(char *request, size_t length, uint64_t seed) {
    JS_UpdateStackTop(runtime);
    random_state = seed ? seed : 1;
    JS_SetHostPromiseRejectionTracker(runtime, track_rejection, NULL);

    JSValueConst arguments[] = {handler_namespace, JS_NewStringLen(realm, request, length)};
    free(request);
    if (JS_IsException(arguments[1])) return fail_with_exception(NULL);
    JSValue promise = JS_Call(realm, js_invoke, JS_UNDEFINED, 2, arguments);
    JS_FreeValue(realm, arguments[1]);
    if (JS_IsException(promise)) return fail_with_exception(NULL);
    if (!settle(promise)) return fail_with_stall("the handler's promise");
    JSValue result = JS_PromiseResult(realm, promise);
    if (JS_PromiseState(realm, promise) == JS_PROMISE_REJECTED) return fail(result, NULL);
    return finish(OUTCOME_OK, result);
}
